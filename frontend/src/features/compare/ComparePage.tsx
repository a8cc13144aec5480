import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { compareQuery } from "@/api/queries";
import type { Comparison } from "@/api/shapes";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Empty";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { kindOf } from "@/features/kinds/registry";
import classes from "./ComparePage.module.css";
import { Differences } from "./Differences";
import { RunPicker } from "./RunPicker";

export function ComparePage() {
  const { runs: ids } = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  const comparison = useQuery({ ...compareQuery(ids), enabled: ids.length > 1 });
  const choose = (runs: number[]) =>
    navigate({
      to: "/compare",
      search: (before) => ({ ...before, runs }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader title="Compare" />
      <Section title="Runs">
        <RunPicker ids={ids} runs={comparison.data?.runs ?? []} onChange={choose} />
      </Section>
      {ids.length > 1 ? (
        <Resolved query={comparison} what="comparison" rows={10}>
          {(loaded) => (
            // around all of it, so that nothing shifts when the code of the kind arrives
            <Suspense fallback={<Loading what="comparison" rows={10} />}>
              <Compared comparison={loaded} />
            </Suspense>
          )}
        </Resolved>
      ) : (
        <Empty title={ids.length === 0 ? "No runs selected" : "Add a second run"}>
          Select two or more runs above. The page's address is a link to the comparison.
        </Empty>
      )}
    </>
  );
}

function Compared({ comparison }: { comparison: Comparison }) {
  const [first] = comparison.runs;
  const isOneKind = comparison.runs.every(({ kind }) => kind === first?.kind);
  // runs of different kinds compare where the server has an outcome for them
  const kind =
    first && isOneKind ? kindOf(first) : comparison.outcome && kindOf(comparison.outcome);
  return (
    <>
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
      <Section title="Link to comparison">
        <div className={classes.link}>
          <CopyText label="link" text={globalThis.location.href} />
        </div>
      </Section>
    </>
  );
}
