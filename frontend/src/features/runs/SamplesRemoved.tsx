import type { Run } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { formatUtc } from "@/components/quantities";

interface SamplesRemovedProps {
  run: Pick<Run, "id" | "samples_removed_at">;
  /** Whether to name the run, among several. */
  named?: boolean;
}

/** Says that a run has no charts over time any more, and that its figures are what they were. */
export function SamplesRemoved({ run, named = false }: SamplesRemovedProps) {
  if (!run.samples_removed_at) return null;
  const what = named ? `the samples of run ${run.id}` : "this run's samples";
  return (
    <Notice>
      A retention rule removed {what} on {formatUtc(new Date(run.samples_removed_at))} UTC. Its
      figures are unchanged; charts over time are empty.
    </Notice>
  );
}
