import type { Campaign, CampaignVerdict } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notice";
import { StateBadge } from "@/components/state/StateBadge";
import { hostsOf } from "@/features/campaigns/summary";
import classes from "./Verdicts.module.css";
import { type JudgedRun, VerdictTable, WaivedBy } from "./VerdictTable";
import { WaiveCriterion } from "./WaiveCriterion";

type VerdictRowsProps = { campaign: Campaign; verdict: CampaignVerdict; waivable: boolean };

/** What a verdict on a campaign says: of all runs together, and of each. */
export function VerdictRows({ campaign, verdict, waivable }: VerdictRowsProps) {
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
