import { Checkbox } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { explained } from "@/api/client";
import type { RunSummary } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { ProgressBar } from "@/components/ProgressBar";
import {
  count,
  formatGuess,
  formatMoment,
  Rate,
  useNow,
  useRateUnit,
  wordsText,
} from "@/components/quantities";
import { OutcomeBadge } from "@/components/state/StateBadge";
import { headlineText } from "@/features/kinds/results";
import { BestRate } from "./BestRate";
import type { LiveTrial } from "./feed";
import { LiveRun } from "./LiveRun";
import classes from "./RunRow.module.css";
import { activityOf, hostsOf, isSyncing, trialsDone, whereOf } from "./summary";

interface RunRowProps {
  run: RunSummary;
  live: readonly LiveTrial[];
  initiallyOpen: boolean;
  /** The active run: it expands when it starts, and can be collapsed. */
  itsTurn: boolean;
  /** Whether it is selected for a comparison, which may be full; without it, it cannot be. */
  selection?: { isSelected: boolean; isFull: boolean; onToggle: () => void } | undefined;
}

/**
 * One run of a campaign: a row that leads to its result and, when expanded, its figures and current
 * trial.
 */
export function RunRow({ run, live, initiallyOpen, itsTurn, selection }: RunRowProps) {
  const [open, { toggle, open: unfold }] = useDisclosure(initiallyOpen);
  useEffect(() => {
    if (itsTurn) unfold();
  }, [itsTurn, unfold]);
  const id = useId();
  const now = useNow();
  const name = `${run.title} on ${hostsOf(run)}`;
  return (
    <section className={classes.run} aria-label={name}>
      <div className={classes.line}>
        <span className={classes.head}>
          {selection ? (
            <Checkbox
              size="xs"
              className={classes.above}
              aria-label={`Select ${name} for comparison`}
              checked={selection.isSelected}
              disabled={selection.isFull && !selection.isSelected}
              onChange={selection.onToggle}
            />
          ) : null}
          <button
            type="button"
            className={classes.fold}
            aria-label={`Details of ${name}`}
            aria-expanded={open}
            aria-controls={id}
            onClick={toggle}
          >
            <span className={classes.chevron} aria-hidden="true" />
          </button>
          <Link
            to="/runs/$id"
            params={{ id: run.id }}
            className={`${classes.title} ${classes.link}`}
          >
            {run.title}
            <span className="visually-hidden">, result</span>
          </Link>
        </span>
        <span className={classes.place}>
          <code>{whereOf(run)}</code>
        </span>
        <span className={classes.state}>
          <OutcomeBadge
            outcome={run.verdict?.outcome}
            state={run.state}
            condition={run.condition}
          />
        </span>
        <span className={classes.progress}>
          <ProgressBar
            done={trialsDone(run, now)}
            of={run.trials_total}
            label={`${run.trials_done} of ${run.trials_total} trials done`}
          />
          <span className={classes.trials}>
            {count(run.trials_done)}/{count(run.trials_total)}
          </span>
        </span>
        <span className={classes.left}>
          {run.eta_s === null ? null : `${formatGuess(run.eta_s)} left`}
        </span>
        <span className={classes.rate}>
          <PresentRate run={run} />
        </span>
        <span className={classes.result} aria-hidden="true">
          Result
        </span>
      </div>
      <Condition run={run} />
      {open ? (
        <div id={id} className={classes.body}>
          <PanelBoundary>
            <LiveRun run={run} live={live} />
          </PanelBoundary>
        </div>
      ) : null}
    </section>
  );
}

/** The rate of the current trial or that it is syncing; else the best rate of the run. */
function PresentRate({ run }: { run: RunSummary }) {
  if (isSyncing(run)) return <span className={classes.word}>final sync</span>;
  if (run.current) return <Rate bytesPerS={run.current.rate_bytes_per_s} />;
  if (run.headline_levels) return <BestRate run={run} />;
  if (!run.best_bytes_per_s) return null;
  return (
    <>
      <span className={classes.word}>best</span> <BestRate run={run} />
    </>
  );
}

/** What a queued run waits for, why a run failed, or why its host is unreachable. */
function Condition({ run }: { run: RunSummary }) {
  const { unit } = useRateUnit();
  if (run.waits_for) {
    return (
      <p className={classes.waits}>
        Queued: {run.waits_for.what} (since {formatMoment(new Date(run.waits_for.since))})
      </p>
    );
  }
  if (run.error) {
    return <Notice title={run.error.title}>{explained(run.error.detail, run.error.remedy)}</Notice>;
  }
  const disturbed = run.current?.disturbed;
  if (disturbed && !run.state_reason) {
    return (
      <Notice title={disturbed.code === "starved" ? "CPU starvation" : "Suspended"}>
        {wordsText(disturbed.evidence, unit)} This attempt is discarded and repeated as attempt{" "}
        {run.current?.attempt}.
      </Notice>
    );
  }
  if (run.state_reason) return <p className={classes.waits}>{run.state_reason}</p>;
  const activity = activityOf(run);
  if (activity) return <p className={classes.waits}>{activity}</p>;
  if (run.headline) return <p className={classes.waits}>{headlineText(run.headline, unit)}</p>;
  return null;
}
