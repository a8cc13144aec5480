import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, unwrap } from "@/api/client";
import type { Campaign, CampaignVerdict } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CriteriaField } from "./CriteriaField";
import classes from "./Verdicts.module.css";

/** Judges the stored runs by criteria that are entered here; nothing is stored. */
export function JudgeAgain({
  campaign,
  children,
}: {
  campaign: Campaign;
  children(verdict: CampaignVerdict): ReactNode;
}) {
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
        kinds={campaign.runs.map(({ kind }) => kind)}
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
      {judge.data ? children(judge.data) : null}
    </form>
  );
}
