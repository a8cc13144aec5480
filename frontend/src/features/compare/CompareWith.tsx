import { Link } from "@tanstack/react-router";
import { PopoverButton } from "@/components/PopoverButton";
import { SuggestedComparisons } from "./SuggestedComparisons";

/** A button that leads from a run to its comparisons with others. */
export function CompareWith({ runId }: { runId: number }) {
  return (
    <PopoverButton label="Compare" title="Compare this run" width={320}>
      <SuggestedComparisons runId={runId} />
      <Link to="/compare" search={{ runs: [runId] }}>
        Select other runs
      </Link>
    </PopoverButton>
  );
}
