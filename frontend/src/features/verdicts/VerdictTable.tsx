import { Link } from "@tanstack/react-router";
import type { RunVerdict, VerdictRow } from "@/api/shapes";
import { inUnit, RelativeTime, useRateUnit } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Verdicts.module.css";
import {
  doubtText,
  judgedCellText,
  judgedParticipantText,
  limitText,
  marginText,
  measuredText,
} from "./values";
import { WaiveCriterion } from "./WaiveCriterion";

/** A run as far as its rows name it. */
export type JudgedRun = { verdict: RunVerdict; kind: string; where: string };

type Entry = JudgedRun & { row: VerdictRow; named: boolean; waivable: boolean };

const column = columnsOf<Entry>();

const COLUMNS = column.columns([
  column.accessor(({ row }) => row.outcome, {
    id: "outcome",
    header: "Outcome",
    cell: ({ getValue }) => <StateBadge state={getValue()} />,
  }),
  column.accessor(({ row }) => row.criterion, {
    id: "criterion",
    header: "Criterion",
    cell: ({ row: { original: entry } }) => <CriterionCell {...entry} />,
  }),
  column.accessor(({ row }) => row.measured ?? 0, {
    id: "measured",
    header: "Measured",
    cell: ({ row: { original } }) => <Evidence {...original} />,
  }),
  column.accessor(({ row }) => row.limit ?? 0, {
    id: "limit",
    header: "Limit",
    cell: ({ row: { original } }) => (
      <span className="figures">{limitText(original.row.criterion)}</span>
    ),
  }),
  column.accessor(({ row }) => row.margin ?? 0, {
    id: "margin",
    header: "Margin",
    cell: ({ row: { original } }) => (
      <span className="figures">{marginText(original.row.margin)}</span>
    ),
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row: { original: entry } }) => <Waive {...entry} />,
  }),
]);

type Props = {
  runs: JudgedRun[];
  /** Whether rows name their run: the page shows several. */
  named: boolean;
  /** Whether rows can be waived: they are those of the stored verdict. */
  waivable: boolean;
};

/** A row for each criterion and run: measured value, limit, margin, outcome, evidence. */
export function VerdictTable({ runs, named, waivable }: Props) {
  const entries = runs.flatMap((run) =>
    run.verdict.rows.map((row) => ({ ...run, row, named, waivable })),
  );
  return (
    <DataTable
      caption="Verdict"
      columns={COLUMNS}
      rows={entries}
      rowId={({ verdict, row }) => `${verdict.run_id}.${row.number}`}
    />
  );
}

function CriterionCell({ row, verdict, where, named }: Entry) {
  const { waiver } = row;
  const { unit } = useRateUnit();
  const judged = [judgedCellText(row), judgedParticipantText(row)].filter((one) => one !== null);
  return (
    <>
      <code>{row.criterion}</code>
      {named ? (
        <span className={classes.label}>
          {verdict.title} on {where}
        </span>
      ) : null}
      {judged.map((text) => (
        <p key={text} className={classes.doubt}>
          {text}
        </p>
      ))}
      {row.doubts.map(({ code, message, figures }) => (
        <p key={`${code} ${message}`} className={classes.doubt}>
          {doubtText(row.judged, inUnit(message, figures, unit))}
        </p>
      ))}
      {waiver ? <WaivedBy waiver={waiver} /> : null}
    </>
  );
}

/** Who waived a criterion, until when and why. */
export const WaivedBy = ({ waiver }: { waiver: NonNullable<VerdictRow["waiver"]> }) => (
  <p className={classes.doubt}>
    Waived by {waiver.actor}, expires <RelativeTime at={waiver.expires_at} />: {waiver.reason}
  </p>
);

/** The measured value, as a link to where the result shows it. */
function Evidence({ row, verdict, kind }: Entry) {
  const text = <span className="figures">{measuredText(row)}</span>;
  if (row.measured === null) return text;
  return (
    <Link
      to="/runs/$id"
      params={{ id: verdict.run_id }}
      search={kindOf({ kind }).evidence(row.evidence)}
    >
      {text}
    </Link>
  );
}

function Waive({ row, verdict, waivable }: Entry) {
  if (!waivable || row.judged === "pass") return null;
  return <WaiveCriterion of={{ run: verdict.run_id }} row={row} />;
}
