import { formatBytes } from "./bytes";
import { formatDuration } from "./duration";
import type { Quantity } from "./figure";
import classes from "./Quantities.module.css";
import { useRateUnit } from "./RateUnitProvider";
import { formatRate, splitRate } from "./rate";

const NOTHING = "–";

/** A rate (bytes per second) in the user's unit. */
export function Rate({ bytesPerS }: { bytesPerS: number | null | undefined }) {
  const { unit } = useRateUnit();
  return (
    <span className="figures">{bytesPerS == null ? NOTHING : formatRate(bytesPerS, unit)}</span>
  );
}

/** A size in bytes. */
export function Bytes({ bytes }: { bytes: number | null | undefined }) {
  return <span className="figures">{bytes == null ? NOTHING : formatBytes(bytes)}</span>;
}

/** A duration in seconds. */
export function Duration({ seconds }: { seconds: number | null | undefined }) {
  return (
    <span className={`figures ${classes.whole}`}>
      {seconds == null ? NOTHING : formatDuration(seconds)}
    </span>
  );
}

/** A key figure: large, with a small unit. */
export function Headline({ quantity, label }: { quantity: Quantity; label?: string }) {
  return (
    <p className={classes.headline}>
      <span className={classes.value}>{quantity.value}</span>
      <span className={classes.unit}>{quantity.unit}</span>
      {label ? <span className={classes.label}>{label}</span> : null}
    </p>
  );
}

/** A rate as a headline. */
export function RateHeadline({ bytesPerS, label }: { bytesPerS: number; label?: string }) {
  const { unit } = useRateUnit();
  return <Headline quantity={splitRate(bytesPerS, unit)} label={label} />;
}
