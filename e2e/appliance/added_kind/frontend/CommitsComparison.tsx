import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import type { CommitsComparison as Outcome } from "./shapes";

/** The first run's mean divided by the second's. */
export function CommitsComparison({ comparison }: { comparison: Comparison }) {
  const outcome = comparison.outcome as Outcome | null;
  return (
    <Section title="Answer">
      <p>{outcome?.ratio ? `${outcome.ratio.toFixed(2)} times the commits` : "Nothing compares."}</p>
    </Section>
  );
}
