import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { runVerdictQuery } from "@/api/queries";
import type { Run, RunVerdict, VerdictRow } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { figure, formatShare, RelativeTime, useRateUnit, wordsText } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Verdicts.module.css";
import type { WaiveProps } from "./WaiverForm";

const MOST_DIGITS = 9;

/** A value that is so far from its limit is shown in the dimension's plain unit. */
const READABLE = { least: 0.01, most: 100_000 };

/** Shares below this are all the same to limits of a tenth of a percent and more. */
const [LEAST_SHARE, LEAST_LIMIT] = [0.0001, 0.001];

/** A greater distance is told as a multiple of the limit. */
const LARGEST_MARGIN = 10;

/** Of a greater multiple only that it is one. */
const LARGEST_MULTIPLE = 1000;

/** Units of values whose criterion has no limit to take the unit from, and of a limit of zero. */
const PLAIN = {
  rate: { unit: "MB/s", size: 1e6 },
  iops: { unit: "IOPS", size: 1 },
  frequency: { unit: "/s", size: 1 },
  duration: { unit: "ms", size: 1e6 },
  size: { unit: "GB", size: 1e9 },
  share: { unit: "%", size: 0.01 },
} as const;

/** Which one of several cells was judged; null if there is no other one. */
export function judgedCellText({ evidence, of_cells: cells }: VerdictRow): string | null {
  if (evidence.cell == null || cells === null || cells < 2) return null;
  const others = cells === 2 ? "The other one was" : `The other ${cells - 1} were`;
  return `Judged in the leading cell of ${cells}: ${evidence.cell}. ${others} not judged.`;
}

/** Whose value was judged; null if it is not that of one of several participants. */
export const judgedParticipantText = ({ evidence }: VerdictRow): string | null =>
  evidence.participant ? `Judged at the worst participant: ${evidence.participant}.` : null;

/** What a doubt says about an outcome: why it is inconclusive, or what cannot change it. */
export const doubtText = (judged: VerdictRow["judged"], message: string): string =>
  judged === "inconclusive" ? message : `Does not change the outcome: ${message}`;

/** The limit of a criterion as written: "1250 MB/s" of "durable.mean >= 1250 MB/s". */
export const limitText = (criterion: string): string => /[<>]=? (.+)$/.exec(criterion)?.[1] ?? "–";

/**
 * A measured value in the unit of its limit, with three significant digits, or as many as tell it
 * from the limit.
 */
export function measuredText({ measured, limit, dimension, criterion }: VerdictRow): string {
  if (measured === null) return "–";
  if (dimension === "yes_no") return measured ? "yes" : "no";
  if (dimension === "count") return figureOfCount(measured);
  const [number, unit] = limitText(criterion).split(" ");
  const plain = PLAIN[dimension];
  if (measured === 0 && unit) return `0\u00a0${unit}`;
  const isTiny = dimension === "share" && !isFine(limit);
  if (isTiny && measured > 0 && measured < LEAST_SHARE) return formatShare(measured);
  const value = limit ? measured / (limit / Number(number)) : Number.NaN;
  return isReadable(value)
    ? `${distinct(value, Number(number))}\u00a0${unit}`
    : `${figure(measured / plain.size)}\u00a0${plain.unit}`;
}

/** "+11.2 %" or "−8.80 %": the distance to the limit as a share of it. */
export function marginText(margin: number | null): string {
  if (margin === null) return "–";
  if (Math.abs(margin) > LARGEST_MARGIN) {
    const times = 1 + Math.abs(margin);
    return times > LARGEST_MULTIPLE
      ? `over ${LARGEST_MULTIPLE}\u00a0× the limit`
      : `${figure(times)}\u00a0× the limit`;
  }
  return `${margin < 0 ? "" : "+"}${figure(100 * margin)}\u00a0%`;
}

/** Whether a limit of a share is so low that smaller shares matter. */
const isFine = (limit: number | null): boolean =>
  limit !== null && limit > 0 && limit < LEAST_LIMIT;

const isReadable = (value: number): boolean =>
  value === 0 || (value >= READABLE.least && value < READABLE.most);

const figureOfCount = (value: number): string => String(Math.round(value));

function distinct(value: number, limit: number): string {
  if (Number(value.toPrecision(3)) !== limit || value === limit) return figure(value);
  for (let digits = 4; digits <= MOST_DIGITS; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (rounded !== limit) return String(rounded);
  }
  return figure(value);
}

/** A run as far as its rows name it. */
export type JudgedRun = { verdict: RunVerdict; kind: string; where: string };

type Entry = JudgedRun & { row: VerdictRow; named: boolean; waivable: boolean };

const column = columnsOf<Entry>();

const COLUMNS = column.columns([
  column.accessor(({ row }) => row.outcome, {
    id: "outcome",
    header: "Outcome",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <StateBadge state={getValue()} />,
  }),
  column.accessor(({ row }) => row.criterion, {
    id: "criterion",
    header: "Criterion",
    meta: { narrow: "second" },
    cell: ({ row: { original: entry } }) => <CriterionCell {...entry} />,
  }),
  column.accessor(({ row }) => row.measured ?? 0, {
    id: "measured",
    header: "Measured",
    meta: { narrow: "lead" },
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
    meta: { narrow: "figure" },
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
      {row.doubts
        .map(({ message }) => wordsText(message, unit))
        .map((text) => (
          <p key={text} className={classes.doubt}>
            {doubtText(row.judged, text)}
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

/** The verdict on a run's result page; nothing if no criterion applies. */
export function RunVerdictSection({ run }: { run: Run }) {
  const query = useQuery({ ...runVerdictQuery(run.id), enabled: run.verdict !== null });
  if (run.verdict === null) return null;
  return (
    <Section title="Verdict" aside={<StateBadge state={run.verdict.outcome} />}>
      <Resolved query={query} what="verdict" rows={2}>
        {(verdict) => (
          <VerdictTable runs={[{ verdict, kind: run.kind, where: "" }]} named={false} waivable />
        )}
      </Resolved>
    </Section>
  );
}

const WaiverForm = lazyRouteComponent(() => import("./WaiverForm"), "WaiverForm");

/** Accepts a criterion that was not passed, with a reason and an expiry. */
export function WaiveCriterion({ of, row }: WaiveProps) {
  const [opened, setOpened] = useState(false);
  if (!useCan("operator")) return null;
  return (
    <>
      <Button variant="subtle" onClick={() => setOpened(true)}>
        {row.waiver ? "Extend waiver" : "Waive"}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Waive ${row.criterion}`}>
        <Suspense fallback={<Loading what="form" rows={4} />}>
          <WaiverForm of={of} row={row} onDone={() => setOpened(false)} />
        </Suspense>
      </Modal>
    </>
  );
}
