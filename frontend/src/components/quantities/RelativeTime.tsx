import { Tooltip } from "@mantine/core";
import { formatMoment, formatRelative } from "./duration";
import classes from "./Quantities.module.css";
import { useNow } from "./useNow";

const SHOWN_ON = { hover: true, focus: true, touch: true };

/** How long ago; the absolute time on hover, on focus and for screen readers. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span>never</span>;
  const moment = new Date(at);
  return (
    <Tooltip label={formatMoment(moment)} events={SHOWN_ON}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to the tooltip */}
      <time dateTime={at} className={classes.moment} tabIndex={0}>
        {formatRelative(moment, now)}
        <span className="visually-hidden">, {formatMoment(moment)}</span>
      </time>
    </Tooltip>
  );
}
