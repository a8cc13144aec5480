import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import { kindOf } from "@/features/kinds/registry";
import { SamplesRemoved } from "@/features/runs/SamplesRemoved";
import { Differences } from "./Differences";

/** How runs differ in their configuration and in what they reached; the first is the base. */
export function Compared({ comparison }: { comparison: Comparison }) {
  const [first] = comparison.runs;
  const isOneKind = comparison.runs.every(({ kind }) => kind === first?.kind);
  // runs of different kinds compare where the server has an outcome for them
  const kind =
    first && isOneKind ? kindOf(first) : comparison.outcome && kindOf(comparison.outcome);
  return (
    <>
      {comparison.runs.map((run) => (
        <SamplesRemoved key={run.id} run={run} named />
      ))}
      <Section title="Configuration differences">
        <Differences comparison={comparison} />
      </Section>
      {kind ? (
        <kind.Comparison comparison={comparison} />
      ) : (
        <Section title="Answer">
          <p>The runs are of different test kinds, so their results do not compare.</p>
        </Section>
      )}
    </>
  );
}
