import { Link } from "@tanstack/react-router";
import type { FilePlan, PlannedChange } from "@/api/shapes";
import classes from "./Declarations.module.css";

const LONGEST_VALUE = 80;

type Tense = { planned: string; done: string };

const WORDS: Record<PlannedChange["action"], Tense> = {
  create: { planned: "Create", done: "Created" },
  change: { planned: "Change", done: "Changed" },
  remove: { planned: "Remove", done: "Removed" },
  keep: { planned: "Keep", done: "Kept" },
  wait: { planned: "Wait", done: "Waiting" },
  unchanged: { planned: "Unchanged", done: "Unchanged" },
};

/** How a value of a plan is shown: as JSON on one line, shortened. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** The number of objects by action: "1 created, 3 unchanged". */
export function countsText({ changes, dry_run }: FilePlan): string {
  const tense = dry_run ? "planned" : "done";
  const counts = Object.entries(WORDS)
    .map(([action, words]) => ({
      word: dry_run && action !== "unchanged" ? `to ${words[tense]}` : words[tense],
      count: changes.filter((change) => change.action === action).length,
    }))
    .filter(({ count }) => count > 0);
  return counts.map(({ word, count }) => `${count} ${word.toLowerCase()}`).join(", ");
}

function Named({ change: { kind, name, id, action } }: { change: PlannedChange }) {
  if (id === null || id === undefined || action === "remove" || action === "create") {
    return <code className={classes.name}>{name}</code>;
  }
  const to = { array: "/arrays/$id", host: "/hosts/$id", profile: "/profiles/$id" } as const;
  if (kind === "target") return <code className={classes.name}>{name}</code>;
  return (
    <Link to={to[kind]} params={{ id }} className={classes.name}>
      {name}
    </Link>
  );
}

function Change({ change, tense }: { change: PlannedChange; tense: keyof Tense }) {
  const { action, kind, fields, reason } = change;
  return (
    <li className={classes.change}>
      <p>
        <strong>{WORDS[action][tense]}</strong> {kind} <Named change={change} />
      </p>
      {fields.length > 0 ? (
        <ul className={classes.fields}>
          {fields.map(({ field, old, new: now }) => (
            <li key={field}>
              <code>{field}</code>: {valueText(old)} → {valueText(now)}
            </li>
          ))}
        </ul>
      ) : null}
      {reason ? <p className={classes.reason}>{reason}</p> : null}
    </li>
  );
}

/** What applying a file does, or did; unchanged objects are only counted. */
export function PlanView({ plan }: { plan: FilePlan }) {
  const shown = plan.changes.filter(({ action, reason }) => action !== "unchanged" || reason);
  return (
    <div className={classes.plan}>
      <p role="status">
        {plan.dry_run ? "Nothing was changed yet. " : null}
        {countsText(plan) || "The file describes no objects"}.
      </p>
      {shown.length > 0 ? (
        <ul className={classes.changes} aria-label={plan.dry_run ? "Planned changes" : "Changes"}>
          {shown.map((change) => (
            <Change
              key={`${change.kind} ${change.name}`}
              change={change}
              tense={plan.dry_run ? "planned" : "done"}
            />
          ))}
        </ul>
      ) : null}
    </div>
  );
}
