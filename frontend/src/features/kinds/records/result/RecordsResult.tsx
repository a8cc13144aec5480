import { useMemo } from "react";
import type { Mark } from "@/charts/figure";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import { type RateUnit, useRateUnit } from "@/components/quantities";
import { Answer } from "@/features/kinds/Answer";
import { unmeasuredWords } from "@/features/kinds/headline";
import type { ResultProps } from "@/features/kinds/kind";
import { NoTrial } from "@/features/kinds/NoTrial";
import { RepeatSwitch } from "@/features/kinds/RepeatSwitch";
import shared from "@/features/kinds/Result.module.css";
import { ResultTop } from "@/features/kinds/ResultTop";
import { answerParts, headlineWords, lengthWords } from "@/features/kinds/records/headline";
import {
  asRecords,
  type Records,
  type RecordsCell,
  type RecordsTrial,
} from "@/features/kinds/records/shapes";
import { stepMarks } from "@/features/kinds/stepMarks";
import { begunOf } from "@/features/kinds/trials";
import { useShownSearch } from "@/features/kinds/useShownSearch";
import { BottleneckEvidence } from "@/features/transfers/BottleneckEvidence";
import { ConnectionFacts } from "@/features/transfers/ConnectionFacts";
import { EndsChart } from "@/features/transfers/EndsChart";
import { FanDrawing } from "@/features/transfers/FanDrawing";
import { CellTable } from "./CellTable";
import { recordFan } from "./recordFan";
import { phasesOf } from "./recordPhases";
import { endsOf } from "./recordSamples";
import { recordStrips } from "./recordStrips";
import { SenderTable } from "./SenderTable";
import { type ShownSearch, shownIn } from "./shown";
import { LatencyTable, LeftTable, TrialFacts } from "./TrialFacts";
import { TrialTable } from "./TrialTable";

/** The answer, the record lengths, what limits them, and a trial with all senders over time. */
export function RecordsResult({ result, ended, children }: ResultProps) {
  const records = asRecords(result);
  const { unit } = useRateUnit();
  const { cell, trial, change, chart } = useShown(records);
  return (
    <>
      <ResultTop
        answer={<RecordsAnswer records={records} unit={unit} ended={ended} />}
        headline={records.headline}
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

interface AnswerProps {
  records: Records;
  unit: RateUnit;
  ended: boolean;
}

const RecordsAnswer = ({ records: { headline }, unit, ended }: AnswerProps) => (
  <Answer
    parts={headline && answerParts(headline, unit)}
    sentence={headline ? headlineWords(headline, unit) : unmeasuredWords(ended)}
    unit={unit}
  />
);

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
    link ? [{ id: participant_id, link, end }] : [],
  );
  return known.map(({ id, link, end }) => (
    <Section key={id} title={`Connection of ${names.get(id)}`}>
      <ConnectionFacts link={link} sender={end} receiver={trial.receiver} />
    </Section>
  ));
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
