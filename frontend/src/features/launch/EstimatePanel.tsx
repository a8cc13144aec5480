import { Button } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, asProblem, explained, unwrap } from "@/api/client";
import type { Estimate, Host, Plan, Target } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import {
  Bytes,
  count,
  figure,
  formatBytes,
  formatGuess,
  Headline,
  RelativeTime,
  splitBytes,
} from "@/components/quantities";
import type { Parameter, Texts } from "@/features/parameters/parameters";
import classes from "./EstimatePanel.module.css";
import { type Answer, driveWrites, tightest, unbounded } from "./plan";
import { remedyTexts, warningsOf } from "./warnings";

type Props = {
  estimate: Estimate | undefined;
  /** The targets that are measured, or are ends of a transfer. */
  targets: Target[];
  hosts: readonly Host[];
  /** The target at which another host reads the test files back. */
  reader?: Target;
  /** What to select before there is an estimate. */
  wanted: string;
  /** Why there is no estimate, or why the launch failed. */
  refusal: unknown;
  /** The kinds' parameters, for the remedies of warnings. */
  parameters: readonly Parameter[];
  onRemedy: (texts: Texts) => void;
  /** Whether the figures belong to earlier values of the form. */
  stale: boolean;
  /** Why the button is disabled. */
  obstacle: string | null;
  launching: boolean;
  onLaunch: () => void;
  /** What can be done instead of launching now. */
  otherwise?: ReactNode;
};

/** The width up to which the panel is below the form, as in the style sheet. */
const NARROW = "(max-width: 960px)";

/**
 * The estimate and the launch button, always visible: on narrow screens a bar at the bottom of the
 * window has a short form of both.
 */
export function EstimatePanel(props: Props) {
  const {
    estimate,
    targets,
    hosts,
    reader,
    wanted,
    refusal,
    stale,
    parameters,
    onRemedy,
    ...button
  } = props;
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  return (
    <>
      <aside className={classes.panel} aria-label="Estimate">
        <h2>Estimate</h2>
        {refusal ? <ProblemPanel error={refusal} /> : null}
        {estimate || refusal ? null : <p className={classes.hint}>{wanted}</p>}
        {estimate ? (
          <div className={classes.figures} data-stale={stale || undefined} aria-live="polite">
            {estimate.fits === null ? null : (
              <Headline quantity={splitBytes(estimate.bytes_written)} label="written at most" />
            )}
            <Remarks estimate={estimate} parameters={parameters} onRemedy={onRemedy} />
            {estimate.fits === null ? null : (
              <Figures estimate={estimate} targets={targets} hosts={hosts} reader={reader} />
            )}
          </div>
        ) : null}
        {isNarrow ? null : <LaunchButton {...button} />}
      </aside>
      {isNarrow ? (
        <div className={classes.bar}>
          <InShort estimate={estimate} refusal={refusal} stale={stale} />
          <LaunchButton {...button} />
        </div>
      ) : null}
    </>
  );
}

type ShortProps = Pick<Props, "estimate" | "refusal" | "stale">;

function InShort({ estimate, refusal, stale }: ShortProps) {
  if (refusal) return <p className={classes.refused}>{asProblem(refusal).message}</p>;
  if (!estimate) return null;
  const [problem] = estimate.problems;
  if (estimate.fits === null && problem)
    return <p className={classes.refused}>{explained(problem.message)}</p>;
  const warnings = warningsOf(estimate.warnings).length;
  return (
    <p className={classes.inShort} data-stale={stale || undefined}>
      <strong>{formatBytes(estimate.bytes_written)}</strong> written at most
      <br />
      {count(estimate.trials)} trials, {durationWords(estimate)}
      {warnings === 0 ? null : (
        <>
          <br />
          <span className={classes.warned}>
            {warnings === 1 ? "1 warning" : `${warnings} warnings`}
          </span>
        </>
      )}
    </p>
  );
}

/** How long a plan takes: from history where there is any, else its minimum. */
export const durationWords = ({ expected, shortest_s }: Estimate): string =>
  expected ? `about ${formatGuess(expected.seconds)}` : `${formatGuess(shortest_s)} minimum`;

type ButtonProps = Pick<Props, "obstacle" | "launching" | "onLaunch" | "otherwise">;

function LaunchButton({ obstacle, launching, onLaunch, otherwise }: ButtonProps) {
  return (
    <div className={classes.button}>
      <Button
        size="md"
        fullWidth
        disabled={obstacle !== null}
        loading={launching}
        onClick={onLaunch}
      >
        Launch campaign
      </Button>
      {otherwise}
      {obstacle ? <p className={classes.hint}>{obstacle}</p> : null}
    </div>
  );
}

type FigureProps = { estimate: Estimate; targets: Target[] };

function Figures({
  estimate,
  targets,
  hosts,
  reader,
}: FigureProps & Pick<Props, "hosts" | "reader">) {
  const wear = driveWrites(estimate, targets);
  return (
    <>
      <dl className={classes.list}>
        <dt>Runs</dt>
        <dd>{count(estimate.run_count)}</dd>
        <dt>Cells</dt>
        <dd>{count(estimate.cells)}</dd>
        <dt>Trials</dt>
        <dd>{count(estimate.trials)}</dd>
        {estimate.expected ? (
          <>
            <dt>Expected duration</dt>
            <dd>
              about {formatGuess(estimate.expected.seconds)}
              <span className={classes.source}>{sourceWords(estimate.expected)}</span>
            </dd>
          </>
        ) : (
          <>
            <dt>Minimum duration</dt>
            <dd>{formatGuess(estimate.shortest_s)}</dd>
          </>
        )}
        <dt>Time limits in total</dt>
        <dd>
          {[formatGuess(estimate.longest_s), unbounded(estimate)].filter(Boolean).join(" plus ")}
        </dd>
        <dt>Hosts used</dt>
        <dd>{hostsUsed(estimate, hosts, reader)}</dd>
        {wear === null ? null : (
          <>
            <dt>Flash wear</dt>
            <dd>{figure(wear)} drive writes</dd>
          </>
        )}
      </dl>
      {targets.length > 0 ? <h3>Minimum free space</h3> : null}
      <ul className={classes.free}>
        {targets.map((target) => {
          const run = tightest(estimate, target.id);
          const left = run?.free_after_bytes;
          return (
            <li key={target.id}>
              <span className={classes.where}>
                {target.host_name} <code>{target.path}</code>
              </span>
              <span data-short={left != null && left < target.reserve_bytes ? true : undefined}>
                <Bytes bytes={left} />
                {target.reserve_bytes ? `, ${formatBytes(target.reserve_bytes)} reserved` : null}
              </span>
              {run?.free_at ? (
                <span className={classes.where}>
                  measured <RelativeTime at={run.free_at} />
                </span>
              ) : null}
              {run?.disk_threads ? (
                <span className={classes.where}>{diskThreads(run.disk_threads, run.devices)}</span>
              ) : null}
            </li>
          );
        })}
      </ul>
      {estimate.hosts_busy.length > 0 ? (
        <Notice title="Will be queued">
          {estimate.hosts_busy.map(({ host_id, name, run_id }) => (
            <p key={host_id}>
              {name} is busy with run {run_id}.
            </p>
          ))}
        </Notice>
      ) : null}
    </>
  );
}

/**
 * The names of the hosts on which the runs have participants, with or without a target, and of the
 * one that reads their files back.
 */
const hostsUsed = ({ runs }: Estimate, hosts: readonly Host[], reader?: Target): string =>
  [...new Set([...runs, ...(reader ? [reader] : [])].map(({ host_id }) => host_id))]
    .flatMap((id) => hosts.find((host) => host.id === id)?.name ?? [])
    .join(", ");

/** "from 4 runs since 3 Nov 2026" */
export function sourceWords({ run_ids, since }: NonNullable<Estimate["expected"]>): string {
  const day = new Date(since).toLocaleDateString(undefined, { dateStyle: "medium" });
  return run_ids.length === 1 ? `from a run of ${day}` : `from ${run_ids.length} runs since ${day}`;
}

/** "4 disk threads, on sda, sdb, sdc and sdd" */
export function diskThreads(threads: number, devices: readonly string[]): string {
  const listed = new Intl.ListFormat("en", { type: "conjunction" }).format(devices);
  const on = listed ? `on ${listed}` : "devices unknown, counted as one";
  return `${threads} disk ${threads === 1 ? "thread" : "threads"}, ${on}`;
}

type RemarkProps = { estimate: Estimate } & Pick<Props, "parameters" | "onRemedy">;

/** Problems and warnings, above the other figures so that they are seen without scrolling. */
function Remarks({ estimate, parameters, onRemedy }: RemarkProps) {
  const { problems, warnings } = estimate;
  return (
    <>
      {problems.map((problem) => (
        <div key={`${problem.field} ${problem.message}`} className={classes.problem} role="alert">
          <p>{explained(problem.message)}</p>
          {problem.remedy ? <p>{problem.remedy}</p> : null}
        </div>
      ))}
      {warningsOf(warnings).map(({ message, remedy }) => {
        const { texts, words } = remedyTexts(parameters, remedy);
        return (
          <Notice key={message}>
            {message}
            {words ? (
              <div className={classes.remedy}>
                <Button size="xs" variant="default" onClick={() => onRemedy(texts)}>
                  Use {words}
                </Button>
              </div>
            ) : null}
          </Notice>
        );
      })}
    </>
  );
}

/** How long input must pause before a request is sent. */
const PAUSE_MS = 250;

/**
 * Estimate a plan; the last estimate stays visible while the next one loads. Criteria do not change
 * the figures, so a plan that is refused with criteria has those that it has without them.
 */
export function useEstimate(plan: Plan | null): Answer {
  const whole = useAnswer(plan);
  const isRefused = whole.current && whole.refusal !== null;
  const bare = useAnswer(isRefused && plan?.criteria ? withoutCriteria(plan) : null);
  return isRefused && bare.current ? { ...whole, estimate: bare.estimate } : whole;
}

const withoutCriteria = ({ criteria: _, ...plan }: Plan): Plan => plan;

function useAnswer(plan: Plan | null): Answer {
  const asked = plan === null ? null : JSON.stringify(plan);
  const [settled] = useDebouncedValue(asked, PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    ...estimateQuery(settled),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const current = asked !== null && asked === settled && !isPlaceholderData;
  return { estimate: data, refusal: error, current };
}

/** The estimate of a plan, as JSON; null asks for nothing. */
export const estimateQuery = (plan: string | null) =>
  queryOptions({
    queryKey: ["estimate", plan],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v1/campaigns/estimate", { body: JSON.parse(plan ?? "") as Plan, signal }),
      ),
    enabled: plan !== null,
    retry: false,
  });
