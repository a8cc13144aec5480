import { useQuery } from "@tanstack/react-query";
import { runVerdictQuery } from "@/api/queries";
import type { Run } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./Verdicts.module.css";
import { VerdictTable } from "./VerdictTable";

/** The verdict on a run's result page; nothing if no criterion applies. */
export function RunVerdictSection({ run }: { run: Run }) {
  const query = useQuery({ ...runVerdictQuery(run.id), enabled: run.verdict !== null });
  if (run.verdict === null) return null;
  return (
    <Section title="Verdict">
      <Resolved query={query} what="verdict" rows={2}>
        {(verdict) => (
          <>
            <p className={classes.outcome}>
              <StateBadge state={verdict.outcome} />
            </p>
            <VerdictTable runs={[{ verdict, kind: run.kind, where: "" }]} named={false} waivable />
          </>
        )}
      </Resolved>
    </Section>
  );
}
