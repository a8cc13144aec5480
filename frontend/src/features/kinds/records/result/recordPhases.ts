/** The phases of a records trial. */
import type { Phase } from "@/charts/figure";
import type { RecordsTrial } from "@/features/kinds/records/shapes";

/** The warm-up and the window in which the rates are measured, in nanoseconds. */
export function phasesOf({
  warm_up_ns: warmUp,
  window_ns: window,
}: Pick<RecordsTrial, "warm_up_ns" | "window_ns">): Phase[] {
  if (window <= 0) return [];
  return [
    ...(warmUp > 0 ? [{ name: "warm-up", from: 0, to: warmUp }] : []),
    { name: "window", from: warmUp, to: warmUp + window },
  ];
}
