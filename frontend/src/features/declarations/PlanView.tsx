import { Link } from "@tanstack/react-router";
import type { FilePlan, PlannedChange } from "@/api/shapes";
import { columnsOf, DataTable } from "@/components/table/DataTable";
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

const column = columnsOf<PlannedChange & { tense: keyof Tense }>();

const COLUMNS = column.columns([
  column.accessor(({ action, tense }) => WORDS[action][tense], {
    id: "action",
    header: "Action",
    enableSorting: false,
  }),
  column.accessor("kind", { header: "Object", enableSorting: false }),
  column.accessor("name", {
    header: "Name",
    enableSorting: false,
    cell: ({ row: { original } }) => <Named change={original} />,
  }),
  column.display({
    id: "fields",
    header: "Changes",
    cell: ({ row: { original } }) => <Fields change={original} />,
  }),
]);

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

function Fields({ change: { fields, reason } }: { change: PlannedChange }) {
  if (!fields?.length && !reason) return <>–</>;
  return (
    <>
      {fields?.length ? (
        <ul className={classes.fields}>
          {fields.map(({ field, old, new: now }) => (
            <li key={field}>
              <code>{field}</code>: {valueText(old)} → {valueText(now)}
            </li>
          ))}
        </ul>
      ) : null}
      {reason ? <p className={classes.reason}>{reason}</p> : null}
    </>
  );
}

/** What applying a file does, or did; unchanged objects are only counted. */
export function PlanView({ plan }: { plan: FilePlan }) {
  const tense = plan.dry_run ? "planned" : "done";
  const rows = plan.changes
    .filter(({ action, reason }) => action !== "unchanged" || reason)
    .map((change) => ({ ...change, tense }) as const);
  return (
    <div className={classes.plan}>
      <p role="status">
        {plan.dry_run ? "Nothing was changed yet. " : null}
        {countsText(plan) || "The file describes no objects"}.
      </p>
      {rows.length > 0 ? (
        <DataTable
          caption={plan.dry_run ? "Planned changes" : "Changes"}
          columns={COLUMNS}
          rows={rows}
          rowId={({ kind, name }) => `${kind} ${name}`}
        />
      ) : null}
    </div>
  );
}
