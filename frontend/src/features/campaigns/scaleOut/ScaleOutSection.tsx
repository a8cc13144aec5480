import { upperFirst } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { scaleOutQuery } from "@/api/queries";
import type { Campaign, ScaleOutCurve } from "@/api/shapes";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { type RateUnit, useRateUnit } from "@/components/quantities";
import { hasEnded, StateBadge } from "@/components/state/StateBadge";
import { FigureTable } from "@/components/table/FigureTable";
import { PartDownloads } from "@/features/campaigns/PartDownloads";
import classes from "@/features/campaigns/PartDownloads.module.css";
import { kindOf } from "@/features/kinds/registry";
import {
  efficiencyText,
  oneOf,
  rateText,
  ScaleOutChart,
  sharesText,
  slowestText,
  targetText,
} from "./ScaleOutChart";

/** What one target or pair, two, … reach together; renewed whenever a run ends. */
export function ScaleOutSection({ campaign }: { campaign: Campaign }) {
  const ended = campaign.runs.filter(({ state }) => hasEnded(state)).length;
  const query = useQuery(scaleOutQuery(campaign.id, ended));
  const { unit } = useRateUnit();
  const name = `campaign-${campaign.id}-scale-out`;
  const counted = campaign.runs.some(({ kind }) => kindOf({ kind }).transfers)
    ? "pairs"
    : "targets";
  return (
    <Section
      title="Scale-out"
      hint={`All ${counted} of a row run together. Efficiency: their aggregate rate ÷ (${counted} × the rate of the first ${oneOf(counted)} alone). Shares, fairness and the slowest are of the application rate.`}
      action={<PartDownloads campaignId={campaign.id} part="scale-out" />}
    >
      <Resolved query={query} what="scale-out" rows={4}>
        {({ curves }) =>
          curves.map((curve) => (
            <Curve
              key={`${curve.test} ${curve.cell}`}
              curve={curve}
              several={curves.length > 1}
              unit={unit}
              filename={`${name}-${curve.test}-${curve.cell}`}
            />
          ))
        }
      </Resolved>
    </Section>
  );
}

interface CurveProps {
  curve: ScaleOutCurve;
  several: boolean;
  unit: RateUnit;
  filename: string;
}

function Curve({ curve, several, unit, filename }: CurveProps) {
  const { runs, title, label, counted } = curve;
  const hasDurable = runs.some(({ durable }) => durable?.bytes_per_s);
  const which = hasDurable ? "durable" : "application";
  const named = label ? `${title}, ${label}` : title;
  const largest = runs.at(-1);
  return (
    <div className={classes.curve}>
      {several ? <h3>{named}</h3> : null}
      <FigureTable caption={`Scale-out of ${named}`}>
        <thead>
          <tr>
            <th scope="col">{upperFirst(counted)}</th>
            {hasDurable ? (
              <>
                <th scope="col">Durable</th>
                <th scope="col">Efficiency</th>
              </>
            ) : null}
            <th scope="col">Application</th>
            <th scope="col">Efficiency</th>
            <th scope="col">Fairness</th>
            <th scope="col">Slowest</th>
            <th scope="col">Shares</th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              <th scope="row">{run.targets}</th>
              {hasDurable ? (
                <>
                  <td>{rateText(run.durable, unit)}</td>
                  <td>{efficiencyText(run.durable, runs[0]?.durable ?? null, counted)}</td>
                </>
              ) : null}
              <td>{rateText(run.application, unit)}</td>
              <td>{efficiencyText(run.application, runs[0]?.application ?? null, counted)}</td>
              <td>{run.fairness === null ? "–" : run.fairness.toFixed(3)}</td>
              <td>{slowestText(run, unit)}</td>
              <td>{sharesText(run)}</td>
              <td>
                <span className={classes.run}>
                  {run.state === "done" ? null : <StateBadge state={run.state} />}
                  {hasEnded(run.state) ? (
                    <Link to="/runs/$id" params={{ id: run.run_id }}>
                      Run {run.run_id}
                    </Link>
                  ) : null}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
      {largest ? (
        <p className={classes.order}>
          Order of the {counted}: {largest.parts.map(targetText).join(", ")}.
        </p>
      ) : null}
      {runs.some((run) => run[which]?.bytes_per_s) ? (
        <PanelBoundary>
          <ScaleOutChart curve={curve} which={which} unit={unit} filename={filename} />
        </PanelBoundary>
      ) : null}
    </div>
  );
}
