import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { campaignVerdictQuery } from "@/api/queries";
import type { Campaign, CampaignVerdict } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { StateBadge } from "@/components/state/StateBadge";
import { hostsOf } from "@/features/campaigns/summary";
import classes from "./Verdicts.module.css";
import { type JudgedRun, VerdictTable, WaiveCriterion, WaivedBy } from "./VerdictTable";

// Few readers ask for it.
const JudgeAgain = lazy(async () => ({ default: (await import("./JudgeAgain")).JudgeAgain }));

/** An ended campaign's verdict, and judging it by other criteria. */
export function CampaignVerdictSection({ campaign }: { campaign: Campaign }) {
  const [again, setAgain] = useState(false);
  const query = useQuery({
    ...campaignVerdictQuery(campaign.id),
    enabled: campaign.verdict !== null,
  });
  if (campaign.ended_at === null) return null;
  return (
    <Section
      title="Verdict"
      action={
        again ? null : (
          <Button variant="subtle" onClick={() => setAgain(true)}>
            Judge by other criteria
          </Button>
        )
      }
    >
      {campaign.verdict === null ? (
        <p>No criteria</p>
      ) : (
        <Resolved query={query} what="verdict" rows={2}>
          {(verdict) => <VerdictRows campaign={campaign} verdict={verdict} waivable />}
        </Resolved>
      )}
      {again ? (
        <Suspense fallback={<Loading what="criteria" rows={2} />}>
          <JudgeAgain campaign={campaign}>
            {(verdict) => <VerdictRows campaign={campaign} verdict={verdict} waivable={false} />}
          </JudgeAgain>
        </Suspense>
      ) : null}
    </Section>
  );
}

type VerdictRowsProps = { campaign: Campaign; verdict: CampaignVerdict; waivable: boolean };

/** What a verdict on a campaign says: of all runs together, and of each. */
function VerdictRows({ campaign, verdict, waivable }: VerdictRowsProps) {
  const runs = verdict.runs.flatMap((judged): JudgedRun[] => {
    const run = campaign.runs.find(({ id }) => id === judged.run_id);
    return run ? [{ verdict: judged, kind: run.kind, where: hostsOf(run) }] : [];
  });
  if (verdict.outcome === null) return <p>No criterion applies to these runs.</p>;
  return (
    <>
      <p className={classes.outcome}>
        <StateBadge state={verdict.outcome} />
      </p>
      {verdict.mixed_rules ? (
        <Notice title="Different versions of the rules">
          The runs were judged by different versions of the rules. Judge them again by the same
          criteria to compare them.
        </Notice>
      ) : null}
      {verdict.unjudged.map((row) => (
        <Notice
          key={row.number}
          title={`${row.waiver ? "Waived" : "Inconclusive"}: ${row.criterion}`}
        >
          {row.doubts.map(({ message }) => message).join(" ")}
          {row.waiver ? <WaivedBy waiver={row.waiver} /> : null}
          {waivable ? <WaiveCriterion of={{ campaign: campaign.id }} row={row} /> : null}
        </Notice>
      ))}
      {runs.length > 0 ? (
        <VerdictTable runs={runs} named={campaign.runs.length > 1} waivable={waivable} />
      ) : null}
    </>
  );
}
