import type { VerdictRow } from "@/api/shapes";

/** The criteria of a verdict whose limits a chart over time can show. */
export interface DrawnLimits {
  /** Of throughput, in bytes per second. */
  throughput: readonly DrawnLimit[];
  /** Of operation times, in nanoseconds. */
  operationTime: readonly DrawnLimit[];
}

export interface DrawnLimit {
  value: number;
  label: string;
}

const THROUGHPUT = /^((durable|app|device)\.|(read|write)\.(mean|min)\b)/;
const OPERATION_TIME = /^(stall\.|(read|write)\.p)/;

/**
 * The limits of throughput and of operation times. A criterion that names a cell applies where
 * `isMeant` says so of its evidence.
 */
export function drawnLimits(
  rows: readonly VerdictRow[],
  isMeant: (evidence: VerdictRow["evidence"]) => boolean,
): DrawnLimits {
  const limitsOf = (metrics: RegExp): DrawnLimit[] =>
    rows.flatMap(({ criterion, limit, evidence }) => {
      const namesCell = /^[\w.]+\(/.test(criterion);
      if (limit === null || !metrics.test(criterion)) return [];
      if (namesCell && !isMeant(evidence)) return [];
      return [{ value: limit, label: criterion.replace(">=", "≥").replace("<=", "≤") }];
    });
  return { throughput: limitsOf(THROUGHPUT), operationTime: limitsOf(OPERATION_TIME) };
}
