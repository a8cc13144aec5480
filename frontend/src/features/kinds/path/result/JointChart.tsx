import { useCallback, useMemo } from "react";
import type { RateUnit } from "@/components/quantities";
import type { PathPair, PathTrial } from "@/features/kinds/path/shapes";
import type { EndSamples, TrialEnd } from "@/features/transfers/courses";
import { type Drawing, EndsChart } from "@/features/transfers/EndsChart";
import { jointStrips } from "./jointStrips";
import { pairsOf } from "./pairs";

interface JointChartProps {
  runId: number;
  trial: PathTrial;
  rampNs: number;
  /** Those of all pairs. */
  ends: readonly TrialEnd[];
  /** What tells the pairs apart. */
  labels: readonly string[];
  about: string;
  unit: RateUnit;
}

/** All pairs of a trial on one time axis. */
export function JointChart({ labels, ...props }: JointChartProps) {
  const { trial } = props;
  const pairs = useMemo(() => pairsOf(trial), [trial]);
  const strips = useCallback<Drawing>(
    (ends, unit, axis) => jointStrips(ofPairs(ends, pairs, labels), unit, axis),
    [pairs, labels],
  );
  return (
    <EndsChart
      {...props}
      title="All pairs over time"
      shows="rates of all pairs, disks, busiest cores, round-trip time and retransmits"
      strips={strips}
    />
  );
}

const ofPairs = (
  ends: readonly EndSamples[],
  pairs: readonly PathPair[],
  labels: readonly string[],
) =>
  pairs.map((pair, index) => {
    const of = (id: number) => ends.find(({ participant }) => participant === id) ?? null;
    return {
      label: labels[index] ?? pair.source,
      sender: of(pair.sender_id),
      receiver: of(pair.receiver_id),
    };
  });
