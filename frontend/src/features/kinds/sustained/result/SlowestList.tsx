import { formatBytes, formatDuration, formatLatency } from "@/components/quantities";
import type { SlowOperation } from "@/features/kinds/sustained/shapes";
import classes from "./SustainedResult.module.css";

/** The slowest operations; each jumps to its place in the chart. */
export function SlowestList({
  slowest,
  onJump,
}: {
  slowest: readonly SlowOperation[];
  onJump: (operation: SlowOperation) => void;
}) {
  const streams = new Set(slowest.map(({ stream }) => stream)).size;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <ol className={classes.slowest} aria-label="Slowest operations" tabIndex={0}>
      {slowest.map((operation) => (
        <li
          key={`${operation.trial_id} ${operation.participant_id} ${operation.stream} ${operation.offset} ${operation.end_ns}`}
        >
          <button type="button" onClick={() => onJump(operation)}>
            {formatLatency(operation.ns)} after {formatDuration(operation.end_ns / 1e9)} at{" "}
            {formatBytes(operation.offset)}
            {streams > 1 ? ` of stream ${operation.stream + 1}` : null}
          </button>
        </li>
      ))}
    </ol>
  );
}
