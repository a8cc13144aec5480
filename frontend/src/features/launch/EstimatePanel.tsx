import { Button } from "@mantine/core";
import type { Estimate, Target } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import {
  Bytes,
  count,
  figure,
  formatBytes,
  formatDuration,
  Headline,
  splitBytes,
} from "@/components/quantities";
import classes from "./EstimatePanel.module.css";
import { driveWrites, leastFree } from "./plan";

type Props = {
  estimate: Estimate | undefined;
  targets: Target[];
  error: unknown;
  /** The shown figures belong to an earlier state of the form. */
  stale: boolean;
  /** What keeps the button shut. */
  obstacle: string | null;
  launching: boolean;
  onLaunch: () => void;
};

/** What will happen, always in sight, and the button that makes it happen. */
export function EstimatePanel(props: Props) {
  const { estimate, targets, error, stale, obstacle, launching, onLaunch } = props;
  return (
    <aside className={classes.panel} aria-label="What will happen">
      <h2>What will happen</h2>
      {error ? <ProblemPanel error={error} /> : null}
      {estimate ? (
        <div className={classes.figures} data-stale={stale || undefined} aria-live="polite">
          <Figures estimate={estimate} targets={targets} />
        </div>
      ) : error ? null : (
        <p className={classes.hint}>Choose a profile and a target to see it.</p>
      )}
      <Button
        size="md"
        fullWidth
        disabled={obstacle !== null}
        loading={launching}
        onClick={onLaunch}
      >
        Launch campaign
      </Button>
      {obstacle ? <p className={classes.hint}>{obstacle}</p> : null}
    </aside>
  );
}

function Figures({ estimate, targets }: { estimate: Estimate; targets: Target[] }) {
  const wear = driveWrites(estimate, targets);
  return (
    <>
      <Headline quantity={splitBytes(estimate.bytes_written)} label="to be written" />
      <dl className={classes.list}>
        <dt>Runs</dt>
        <dd>{count(estimate.runs.length)}</dd>
        <dt>Cells</dt>
        <dd>{count(estimate.cells)}</dd>
        <dt>Trials</dt>
        <dd>{count(estimate.trials)}</dd>
        <dt>At the shortest</dt>
        <dd>{formatDuration(estimate.shortest_s)}</dd>
        <dt>At the longest</dt>
        <dd>{formatDuration(estimate.longest_s)}, and final syncs</dd>
        <dt>Hosts it keeps busy</dt>
        <dd>{[...new Set(targets.map(({ host_name }) => host_name))].join(", ")}</dd>
        {wear === null ? null : (
          <>
            <dt>Wear on flash</dt>
            <dd>{figure(wear)} drive-writes</dd>
          </>
        )}
      </dl>
      <h3>Free space, at its least</h3>
      <ul className={classes.free}>
        {targets.map((target) => {
          const left = leastFree(estimate, target.id);
          return (
            <li key={target.id}>
              <span className={classes.where}>
                {target.host_name} <code>{target.path}</code>
              </span>
              <span
                data-short={left !== null && left < (target.reserve_bytes ?? 0) ? true : undefined}
              >
                <Bytes bytes={left} />
                {target.reserve_bytes
                  ? `, ${formatBytes(target.reserve_bytes)} are kept free`
                  : null}
              </span>
            </li>
          );
        })}
      </ul>
      {estimate.hosts_busy.length > 0 ? (
        <Notice title="It will wait">
          {estimate.hosts_busy.map(({ host_id, name, run_id }) => (
            <p key={host_id}>
              {name} is busy with run {run_id}.
            </p>
          ))}
        </Notice>
      ) : null}
      {estimate.problems.map((problem) => (
        <div key={`${problem.field} ${problem.message}`} className={classes.problem} role="alert">
          <p>{problem.message}</p>
          {problem.remedy ? <p>{problem.remedy}</p> : null}
        </div>
      ))}
      {estimate.warnings.map(({ code, message }) => (
        <Notice key={code + message}>{message}</Notice>
      ))}
    </>
  );
}
