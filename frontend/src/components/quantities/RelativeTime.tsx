import { Tooltip } from "@mantine/core";
import { formatMoment, formatRelative } from "./duration";
import classes from "./Quantities.module.css";
import { useNow } from "./useNow";

/** How long ago, with the absolute time on hover and for screen readers. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span>never</span>;
  const moment = new Date(at);
  return (
    <Tooltip label={formatMoment(moment)}>
      <time dateTime={at} className={classes.moment}>
        {formatRelative(moment, now)}
      </time>
    </Tooltip>
  );
}
