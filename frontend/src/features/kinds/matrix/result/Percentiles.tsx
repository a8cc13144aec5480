import { formatLatency } from "@/components/quantities";
import type { MatrixCell } from "@/features/kinds/matrix/shapes";
import classes from "./Percentiles.module.css";

const NAMES = [
  ["mean_ns", "mean"],
  ["p50_ns", "p50"],
  ["p90_ns", "p90"],
  ["p99_ns", "p99"],
  ["p999_ns", "p99.9"],
  ["max_ns", "maximum"],
  ["stall_ns", "longest stall"],
] as const;

/** Latency of single operations, merged over all repeats by histogram, never by averaging percentiles. */
export function Percentiles({ latency }: { latency: MatrixCell["latency"] }) {
  if (!latency) return null;
  const shown = (ns: number | null) => (ns === null ? "none" : formatLatency(ns));
  return (
    <div className={classes.percentiles}>
      <h3>Operation latency</h3>
      <dl className={classes.list}>
        {NAMES.map(([key, name]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>{shown(latency[key])}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
