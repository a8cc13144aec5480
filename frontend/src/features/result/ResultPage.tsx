import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { matrixQuery, runQuery } from "@/api/queries";
import type { Matrix, Run } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { Notice } from "@/components/feedback/Notice";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { StateBadge } from "@/components/state/StateBadge";
import { hasEnded } from "@/components/state/states";
import { MatrixHeatmap } from "@/features/kinds/matrix/MatrixHeatmap";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import { cellName } from "@/features/kinds/matrix/reading";
import { AdvicePanel } from "@/features/kinds/matrix/result/AdvicePanel";
import { Answer } from "@/features/kinds/matrix/result/Answer";
import { CellDetail } from "@/features/kinds/matrix/result/CellDetail";
import { chosenCell } from "@/features/kinds/matrix/result/chosenCell";
import { useReading } from "@/features/kinds/matrix/useReading";
import { Conditions } from "./Conditions";
import { Downloads } from "./Downloads";
import classes from "./ResultPage.module.css";

/** A run that still goes on is looked at again this often; its campaign page shows it live. */
const REFRESH_MS = 3000;

export function ResultPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const run = useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (isActive(state.data) ? REFRESH_MS : false),
  });
  const matrix = useQuery({
    ...matrixQuery(id),
    // once more after the run has ended: its last trials came after the matrix seen before
    refetchInterval: ({ state }) =>
      isActive(run.data) || state.dataUpdatedAt < run.dataUpdatedAt ? REFRESH_MS : false,
  });
  // Nothing is shown before both are here, so that nothing moves when the second one comes.
  return (
    <>
      <ResultHeader id={id} run={run.data} />
      <Resolved query={run} what="run" rows={12}>
        {(found) => (
          <Resolved query={matrix} what="result" rows={12}>
            {(loaded) => (
              <>
                <Result matrix={loaded} run={found} />
                <Conditions run={found} />
                <Downloads runId={id} />
              </>
            )}
          </Resolved>
        )}
      </Resolved>
    </>
  );
}

const isActive = (run: Run | undefined): boolean => run !== undefined && !hasEnded(run.state);

function ResultHeader({ id, run }: { id: number; run: Run | undefined }) {
  if (!run) return <PageHeader title={`Run ${id}`} />;
  const parents = [
    <Link key="campaigns" to="/campaigns">
      Campaigns
    </Link>,
    <Link key="campaign" to="/campaigns/$id" params={{ id: run.campaign_id }}>
      Campaign {run.campaign_id}
    </Link>,
  ];
  return (
    <PageHeader
      title={`${run.title} on ${run.host.name}`}
      parents={parents}
      aside={<StateBadge state={run.state} condition={run.condition} />}
      action={
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/compare" search={{ runs: [id] }} {...props} />}
        >
          Compare
        </Button>
      }
    />
  );
}

function Result({ matrix, run }: { matrix: Matrix; run: Run }) {
  const { reading, cell: named, change } = useReading(matrix.rates);
  const cell = chosenCell(matrix, named, reading);
  const ended = !isActive(run);
  return (
    <>
      <div className={classes.answer}>
        <Answer matrix={matrix} reading={reading} ended={ended} />
        {run.waits_for ? <p>Queued: {run.waits_for.what}</p> : null}
        {failureOf(run)}
        {matrix.warnings.map((warning) => (
          <Notice key={`${warning.code} ${warning.message}`}>{warning.message}</Notice>
        ))}
      </div>
      <div className={classes.pictures} data-stacked={isWide(matrix) || undefined}>
        <Section
          title={matrix.cells.length > 1 ? "Matrix" : "Display"}
          action={<ReadingSwitches reading={reading} rates={matrix.rates} onChange={change} />}
        >
          {matrix.cells.length > 1 ? (
            <MatrixHeatmap
              matrix={matrix}
              reading={reading}
              running={run.current?.parameters}
              selected={cell ? cellName(cell) : null}
              onSelect={(chosen) => change({ cell: chosen })}
            />
          ) : null}
        </Section>
        <PanelBoundary>
          {cell ? (
            <CellDetail matrix={matrix} cell={cell} reading={reading} />
          ) : (
            <Empty title="No cell to show">
              {ended
                ? "The run ended before its first trial."
                : "Details appear when the first trial starts."}
            </Empty>
          )}
        </PanelBoundary>
      </div>
      <AdvicePanel matrix={matrix} reading={reading} ended={ended} />
    </>
  );
}

/** A matrix of more columns leaves no room for a cell's detail beside it. */
const isWide = ({ axes }: Matrix): boolean => axes.threads.length > 5;

/** Why a run ended before its end, in the words that its driver left. */
function failureOf({ error, state_reason }: Run) {
  if (error === null) return state_reason ? <Notice>{state_reason}</Notice> : null;
  return (
    <Notice title={error.title}>
      {error.detail} {error.remedy}
    </Notice>
  );
}
