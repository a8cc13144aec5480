import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { MOST_COMPARED } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";

export const hasResult = ({ trials_done }: RunSummary): boolean => trials_done > 0;

interface CompareRunsProps {
  runs: readonly RunSummary[];
  selected: readonly number[];
}

/** A link that compares the selected runs, else all that have results if these are not too many. */
export function CompareRuns({ runs, selected }: CompareRunsProps) {
  const all = runs.filter(hasResult).map(({ id }) => id);
  const measured = selected.length > 1 ? selected : all;
  if (measured.length < 2 || measured.length > MOST_COMPARED) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/compare" search={{ runs: [...measured] }} {...props} />}
    >
      {selected.length > 1 ? "Open in Compare" : "Compare runs"}
    </Button>
  );
}

/** How to compare runs in place; `isFull` if no further one can be selected. */
export function comparisonHint(measured: number, isFull: boolean): string | undefined {
  if (measured < 2) return undefined;
  if (isFull) return `${MOST_COMPARED} runs are selected, the most that can be compared.`;
  const most = measured > MOST_COMPARED ? ` to ${MOST_COMPARED}` : " or more";
  return `Select two${most} runs to compare them below.`;
}
