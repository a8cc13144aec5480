import { inUnit, useRateUnit } from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import classes from "./FlagSign.module.css";
import { FLAG_LOOKS } from "./flags";
import type { Flag } from "./shapes";

/** A flag as shape, color and word; its evidence is the tooltip, and read out. */
export function FlagSign({ flag }: { flag: Flag }) {
  const { shape, color, word } = FLAG_LOOKS[flag.code];
  const { unit } = useRateUnit();
  const evidence = inUnit(flag.evidence, flag.figures, unit);
  return (
    <span
      className={classes.sign}
      style={{ color: `var(${color})` }}
      title={evidence}
      data-flag={flag.code}
    >
      <StateShape shape={shape} />
      {word}
      <span className="visually-hidden">: {evidence}</span>
    </span>
  );
}

/** The flags of a cell, each with its evidence in full; nothing where there are none. */
export function FlagList({ flags }: { flags: readonly Flag[] }) {
  const { unit } = useRateUnit();
  if (flags.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="Flags">
      {flags.map((flag) => {
        const { shape, color, word } = FLAG_LOOKS[flag.code];
        return (
          <li key={`${flag.code} ${flag.rates}`} data-flag={flag.code}>
            <span className={classes.sign} style={{ color: `var(${color})` }}>
              <StateShape shape={shape} />
              {word}
            </span>
            <span>{inUnit(flag.evidence, flag.figures, unit)}</span>
          </li>
        );
      })}
    </ul>
  );
}
