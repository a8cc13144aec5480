import type { RunSummary } from "@/api/shapes";

/** How many repeats are done. */
export function LiveCommits({ run }: { run: RunSummary }) {
  return (
    <p>
      {run.trials_done} of {run.trials_total} repeats committed
    </p>
  );
}
