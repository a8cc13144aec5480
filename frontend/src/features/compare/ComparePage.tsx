import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { compareQuery, MOST_COMPARED, runQuery } from "@/api/queries";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Empty";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { ExportButton } from "@/features/exports/ExportButton";
import { Compared } from "./Compared";
import classes from "./ComparePage.module.css";
import { RunPicker } from "./RunPicker";
import { SuggestedComparisons } from "./SuggestedComparisons";

export function ComparePage() {
  const { runs: ids } = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  const beyond = ids.length - MOST_COMPARED;
  const comparison = useQuery({
    ...compareQuery(ids),
    enabled: ids.length > 1 && beyond <= 0,
  });
  const [first = 0] = ids;
  const only = useQuery({ ...runQuery(first), enabled: ids.length === 1 });
  const known = comparison.data?.runs ?? (only.data ? [only.data] : []);
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
      <Section
        title="Runs"
        action={ids.length > 1 && beyond <= 0 ? <ExportButton of={{ compared: ids }} /> : undefined}
      >
        <RunPicker ids={ids} runs={known} onChange={choose} />
      </Section>
      {beyond > 0 ? (
        <Empty title={`Remove ${beyond === 1 ? "a run" : `${beyond} runs`}`}>
          A comparison has at most {MOST_COMPARED} runs, and the page's address names {ids.length}.
        </Empty>
      ) : ids.length > 1 ? (
        <Resolved query={comparison} what="comparison" rows={10}>
          {(loaded) => (
            // around all of it, so that nothing shifts when the code of the kind arrives
            <Suspense fallback={<Loading what="comparison" rows={10} />}>
              <Compared comparison={loaded} />
              <Section title="Link to comparison">
                <div className={classes.link}>
                  <CopyText label="link" text={globalThis.location.href} />
                </div>
              </Section>
            </Suspense>
          )}
        </Resolved>
      ) : (
        <Empty title={ids.length === 0 ? "No runs selected" : "Add a second run"}>
          Select two or more runs above. The first is the base of the comparison. The page's address
          is a link to it.
          {ids.length === 1 ? <SuggestedComparisons runId={first} /> : null}
        </Empty>
      )}
    </>
  );
}
