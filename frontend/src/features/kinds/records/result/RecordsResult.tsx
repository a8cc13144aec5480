import { useMemo } from "react";
import type { Mark, Phase } from "@/charts/figure";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import {
  formatRate,
  formatRecordRate,
  formatShare,
  type RateUnit,
  rateOrLevels,
  rateText,
  useRateUnit,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import type { ResultProps } from "@/features/kinds/kind";
import { NoTrial, RepeatSwitch, ResultTop, useShownSearch } from "@/features/kinds/ResultParts";
import shared from "@/features/kinds/ResultParts.module.css";
import {
  asRecords,
  HEADS,
  lengthWords,
  type Records,
  type RecordsCell,
  type RecordsTrial,
  recordRateWords,
} from "@/features/kinds/records/records";
import { begunOf, statusWords, stepMarks } from "@/features/kinds/results";
import { EndsChart } from "@/features/transfers/EndsChart";
import {
  endParts,
  type Fan,
  FanDrawing,
  isNetwork,
  knownLimits,
} from "@/features/transfers/FanDrawing";
import { BottleneckEvidence, ConnectionFacts } from "@/features/transfers/TransferFacts";
import { CellTable } from "./CellTable";
import { recordStrips } from "./recordStrips";
import { SenderTable } from "./SenderTable";
import { endsOf, type ShownSearch, shownIn } from "./shown";
import { LatencyTable, LeftTable, TrialFacts } from "./TrialFacts";

/** The answer, the record lengths, what limits them, and a trial with all senders over time. */
export function RecordsResult({ result, ended, children }: ResultProps) {
  const records = asRecords(result);
  const { unit } = useRateUnit();
  const { cell, trial, change, chart } = useShown(records);
  return (
    <>
      <ResultTop
        headline={records.headline}
        ended={ended}
        notices={children}
        warnings={records.warnings}
        unit={unit}
      />
      {records.cells.length > 0 ? (
        <Section title="Record lengths" hint="Rates are means of the repeats, in the window.">
          <CellTable
            records={records}
            unit={unit}
            selected={cell?.record_bytes}
            onSelect={(length) => change({ length: String(length), repeat: undefined })}
          />
        </Section>
      ) : null}
      {cell?.bottleneck ? (
        <Section title={`Bottleneck with ${lengthWords(cell.record_bytes)}`}>
          <BottleneckEvidence bottleneck={cell.bottleneck} unit={unit} />
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart} className={shared.trial}>
            <Section
              title={`${lengthWords(cell.record_bytes)}, repeat ${trial.repeat}`}
              action={
                <RepeatSwitch
                  trials={begunOf(cell)}
                  shown={trial.repeat}
                  onChange={(repeat) => change({ repeat })}
                />
              }
            >
              <FanDrawing {...recordFan(records, cell, trial, unit)} />
              <PanelBoundary>
                <RecordsChart records={records} cell={cell} trial={trial} unit={unit} />
              </PanelBoundary>
            </Section>
          </div>
          <Section title="Records of each sender">
            <SenderTable records={records} trial={trial} unit={unit} />
          </Section>
          {trial.left.length > 0 ? (
            <Section
              title="After the receiver died"
              hint="What its file held of the records that it had acknowledged."
            >
              <LeftTable records={records} left={trial.left} />
            </Section>
          ) : null}
          {trial.latency.length + trial.batch_latency.length > 0 ? (
            <Section title="Latency up to the acknowledgement">
              <LatencyTable trial={trial} />
            </Section>
          ) : null}
          <Section title="Receiver">
            <TrialFacts records={records} trial={trial} unit={unit} />
          </Section>
          <Connections records={records} trial={trial} />
          <Section title="Trials">
            <TrialTable
              cell={cell}
              unit={unit}
              selected={trial.id}
              onSelect={({ repeat }) => change({ repeat: String(repeat) })}
            />
          </Section>
        </>
      ) : (
        <NoTrial ended={ended} />
      )}
    </>
  );
}

interface TrialProps {
  records: Records;
  cell: RecordsCell;
  trial: RecordsTrial;
  unit: RateUnit;
}

/** All senders and the receiver over time, with the window shaded and changes of the level marked. */
function RecordsChart({ records, cell, trial, unit }: TrialProps) {
  const ends = useMemo(() => endsOf(records), [records]);
  const phases = useMemo(() => phasesOf(trial), [trial]);
  const marks = useMemo(() => marksOf(trial, unit), [trial, unit]);
  return (
    <EndsChart
      runId={records.run_id}
      trial={trial}
      rampNs={0}
      ends={ends}
      about={`${lengthWords(cell.record_bytes)}, repeat ${trial.repeat}`}
      unit={unit}
      title="Senders and receiver over time"
      shows="records and payload per second of each sender and at the receiver, the sink's disk and memory, CPUs and the network"
      strips={recordStrips}
      phases={phases}
      marks={marks}
    />
  );
}

function marksOf({ cliff }: RecordsTrial, unit: RateUnit): Mark[] {
  return stepMarks(cliff?.levels ?? [], ({ from_ns }) => from_ns, unit);
}

/** TCP of each sender. */
function Connections({ records, trial }: Pick<TrialProps, "records" | "trial">) {
  const names = new Map(records.participants.map(({ id, host }) => [id, host]));
  const known = trial.senders.flatMap(({ participant_id, link, end }) =>
    link
      ? [{ name: names.get(participant_id) ?? "–", link, sender: end, receiver: trial.receiver }]
      : [],
  );
  const [first, ...others] = known;
  if (!first) return null;
  return (
    <Section title={others.length > 0 ? "Connections" : `Connection of ${first.name}`}>
      <ConnectionFacts connections={known} />
    </Section>
  );
}

/** What the page shows; a change keeps the record length, which may be the default. */
function useShown(records: Records) {
  const { search, change, chart } = useShownSearch<ShownSearch>();
  const { cell, trial } = shownIn(records, search);
  const length = cell ? String(cell.record_bytes) : undefined;
  return {
    cell,
    trial,
    change: (changed: ShownSearch) => change({ length, ...changed }),
    chart,
  };
}

interface TrialTableProps {
  cell: RecordsCell;
  unit: RateUnit;
  selected: number | undefined;
  onSelect: (trial: RecordsTrial) => void;
}

/** Every trial of a record length; a row selects the one that is shown. */
function TrialTable({ cell, unit, selected, onSelect }: TrialTableProps) {
  return (
    <FigureTable caption="Trials">
      <thead>
        <tr>
          <th scope="col">Trial</th>
          <th scope="col">Records</th>
          <th scope="col">{HEADS.window}</th>
          <th scope="col">{HEADS.durable}</th>
          <th scope="col">Receiver's core</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {cell.trials.map((trial) => (
          <tr key={trial.id}>
            <th scope="row">
              <RowButton
                title="Show this trial"
                selected={trial.id === selected}
                onSelect={trial.status === "waiting" ? undefined : () => onSelect(trial)}
              >
                Repeat {trial.repeat}
              </RowButton>
            </th>
            <td>{recordRateWords(trial.records_per_s, trial.levels, cell.record_bytes)}</td>
            <td>{rateOrLevels(trial.bytes_per_s, trial.levels, unit)}</td>
            <td>{rateText(trial.durable_bytes_per_s, unit)}</td>
            <td>{trial.receiver?.load ? formatShare(trial.receiver.load.busiest_core) : "–"}</td>
            <td>{statusWords(trial, trial.bounded && "sync timed out")}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

/** The warm-up and the window in which the rates are measured, in nanoseconds. */
export function phasesOf({
  warm_up_ns: warmUp,
  window_ns: window,
}: Pick<RecordsTrial, "warm_up_ns" | "window_ns">): Phase[] {
  if (window <= 0) return [];
  return [
    ...(warmUp > 0 ? [{ name: "warm-up", from: 0, to: warmUp }] : []),
    { name: "window", from: warmUp, to: warmUp + window },
  ];
}

/** Each sender's rate and share, what the receiver does with them, and what limits the trial. */
export function recordFan(
  records: Records,
  { bottleneck }: RecordsCell,
  trial: RecordsTrial,
  unit: RateUnit,
): Fan {
  const limits = knownLimits(bottleneck);
  const places = new Map(records.participants.map((one) => [one.id, one]));
  const receiver = records.participants.find(({ role }) => role === "receiver");
  return {
    sources: trial.senders.map(({ participant_id: id, end, records_per_s: rate, share }) => ({
      key: String(id),
      title: places.get(id)?.host ?? "–",
      parts: endParts("source", end, false, limits),
      load:
        rate === null
          ? null
          : [formatRecordRate(rate), share === null || share === 1 ? null : formatShare(share)]
              .filter(Boolean)
              .join(", "),
    })),
    sinks: [
      {
        key: "sink",
        title: `${receiver?.host ?? "–"} ${records.sink === "disk" ? (receiver?.path ?? "") : "memory"}`,
        parts: endParts("sink", trial.receiver, records.sink === "disk", limits),
        load:
          trial.records_per_s === null || trial.bytes_per_s === null
            ? null
            : `${formatRecordRate(trial.records_per_s)}, ${formatRate(trial.bytes_per_s, unit)}`,
      },
    ],
    lines: trial.senders.map(({ share }, from) => ({ from, to: 0, share })),
    isNetworkBottleneck: isNetwork(limits),
  };
}
