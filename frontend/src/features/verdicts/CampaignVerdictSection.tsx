import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { campaignVerdictQuery } from "@/api/queries";
import type { Campaign, CampaignVerdict } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { StateBadge } from "@/components/state/StateBadge";
import { hostsOf } from "@/features/campaigns/summary";
import { CriteriaField } from "./CriteriaField";
import classes from "./Verdicts.module.css";
import { type JudgedRun, VerdictTable, WaivedBy } from "./VerdictTable";
import { WaiveCriterion } from "./WaiveCriterion";

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
          {(verdict) => <Rows campaign={campaign} verdict={verdict} waivable />}
        </Resolved>
      )}
      {again ? <JudgeAgain campaign={campaign} /> : null}
    </Section>
  );
}

type RowsProps = { campaign: Campaign; verdict: CampaignVerdict; waivable: boolean };

function Rows({ campaign, verdict, waivable }: RowsProps) {
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

/** Judges the stored runs by criteria that are entered here; nothing is stored. */
function JudgeAgain({ campaign }: { campaign: Campaign }) {
  const [criteria, setCriteria] = useState(
    campaign.criteria.length > 0 ? campaign.criteria : [{ criterion: "", stop: false }],
  );
  const given = criteria.filter(({ criterion }) => criterion.trim());
  const judge = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/campaigns/{campaign_id}/verdicts", {
          params: { path: { campaign_id: campaign.id } },
          body: { criteria: given },
        }),
      ),
  });
  return (
    <form
      className={classes.again}
      onSubmit={(event) => {
        event.preventDefault();
        judge.mutate();
      }}
    >
      <CriteriaField
        label="Other criteria"
        description="They judge the stored results. The campaign's own verdict stays as it is."
        criteria={criteria}
        onChange={setCriteria}
      />
      {judge.error ? <ProblemPanel error={judge.error} /> : null}
      <Button
        type="submit"
        variant="default"
        className={classes.add}
        disabled={given.length === 0}
        loading={judge.isPending}
      >
        Judge runs
      </Button>
      {judge.data ? <Rows campaign={campaign} verdict={judge.data} waivable={false} /> : null}
    </form>
  );
}
