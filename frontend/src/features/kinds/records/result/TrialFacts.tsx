import { Facts } from "@/components/Facts";
import {
  count,
  figure,
  formatBytes,
  formatLatency,
  formatRate,
  formatShare,
  type RateUnit,
  wordsText,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { HEADS, type Records, type RecordsTrial } from "@/features/kinds/records/records";

interface TrialFactsProps {
  records: Records;
  trial: RecordsTrial;
  unit: RateUnit;
}

/** Where the data was, at the last write and after the final sync. */
const evidenceOf = ({ served_by, durable_served_by }: RecordsTrial, unit: RateUnit): string[] => [
  ...new Set(
    [served_by, durable_served_by].flatMap((source) =>
      source ? wordsText(source.evidence, unit) || [] : [],
    ),
  ),
];

/** How the rate changed: at a moment, or at none that is clear. */
const changeOf = ({ cliff, levels, flags }: RecordsTrial, unit: RateUnit): string[] => {
  const flag = flags.find(({ code }) => code === "cliff");
  return [
    ...(cliff ? [wordsText(cliff.message, unit)] : []),
    ...(flag && !levels?.length ? [wordsText(flag.evidence, unit)] : []),
  ];
};

/** What the receiver did with the records: memory, cache, format and cost. */
export function TrialFacts({ records, trial, unit }: TrialFactsProps) {
  const { memory, cliff, no_cliff_within_bytes: whole, receiver_time: time } = trial;
  const of = <T,>(value: T | null, format: (value: T) => string) =>
    value === null ? null : format(value);
  const rate = (bytesPerS: number) => formatRate(bytesPerS, unit);
  const isFile = records.sink === "disk";
  return (
    <>
      {changeOf(trial, unit).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {evidenceOf(trial, unit).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <Facts
        facts={[
          ["Window", of(trial.window_ns || null, formatLatency)],
          ["Warm-up", formatLatency(trial.warm_up_ns)],
          ...(isFile
            ? ([
                ["Written, in this format", of(trial.stored_bytes_per_s, rate)],
                ["Expansion", of(trial.expansion, (times) => `× ${figure(times)}`)],
                [HEADS.durable, of(trial.durable_bytes_per_s, rate)],
                ["Most unwritten data", of(memory?.most_dirty_bytes ?? null, formatBytes)],
                [
                  "Syncs before the final one",
                  trial.longest_sync_ns === null
                    ? count(trial.syncs)
                    : `${count(trial.syncs)}, longest ${formatLatency(trial.longest_sync_ns)}`,
                ],
                ["Least free memory", of(memory?.least_available_bytes ?? null, formatBytes)],
                [
                  "Cliff",
                  cliff
                    ? `after ${formatLatency(cliff.at_ns)}, ${count(cliff.at_records)} records`
                    : of(whole, (bytes) => `none within ${formatBytes(bytes)}`),
                ],
              ] satisfies [string, string | null][])
            : []),
          ...(time
            ? ([
                ["Receiving, with waits for data", formatShare(time.receiving)],
                ["Checking", formatShare(time.checking)],
                [
                  "Storing",
                  `${formatShare(time.storing)}, of which ${formatShare(time.blocked)} waiting for the disk`,
                ],
              ] satisfies [string, string][])
            : []),
          [
            "Receiver's CPU time per record",
            of(trial.receiver_ns_per_record, (ns) => `${figure(ns)}\u00a0ns`),
          ],
        ]}
      />
    </>
  );
}

/**
 * Latencies up to the acknowledgement: of batches from their first record and, where the senders are
 * paced, of records from their due times.
 */
export function LatencyTable({ trial }: { trial: RecordsTrial }) {
  const { latency, batch_latency, due_unfinished } = trial;
  const shares = [...new Set([...latency, ...batch_latency].map(({ share }) => share))].sort(
    (one, other) => one - other,
  );
  const at = (marks: RecordsTrial["latency"], share: number) => {
    const ns = marks.find((mark) => mark.share === share)?.ns;
    return ns === undefined ? "–" : formatLatency(ns);
  };
  const isPaced = latency.length > 0;
  return (
    <>
      <FigureTable caption="Latency up to the acknowledgement">
        <thead>
          <tr>
            <th scope="col">Percentile</th>
            {isPaced ? <th scope="col">Records, from the due time</th> : null}
            <th scope="col">Batches, from the first record</th>
          </tr>
        </thead>
        <tbody>
          {shares.map((share) => (
            <tr key={share}>
              <th scope="row">{share === 1 ? "Maximum" : `p${share * 100}`}</th>
              {isPaced ? <td>{at(latency, share)}</td> : null}
              <td>{at(batch_latency, share)}</td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
      {due_unfinished > 0 ? (
        <p>
          {count(due_unfinished)} records were not acknowledged in time: their latencies are lower
          bounds.
        </p>
      ) : null}
    </>
  );
}

/** What the file of a receiver that died held of the records that it had acknowledged. */
export function LeftTable({ records, left }: { records: Records } & Pick<RecordsTrial, "left">) {
  const names = new Map(records.participants.map(({ id, host }) => [id, host]));
  return (
    <FigureTable caption="Records after the receiver died">
      <thead>
        <tr>
          <th scope="col">Sender</th>
          <th scope="col">Attempt</th>
          <th scope="col">Acknowledged</th>
          <th scope="col">Intact in the file</th>
          <th scope="col">Lost</th>
        </tr>
      </thead>
      <tbody>
        {left.flatMap(({ attempt, senders }) =>
          senders.map((sender) => (
            <tr key={`${attempt} ${sender.participant_id}`}>
              <th scope="row">{names.get(sender.participant_id)}</th>
              <td>{attempt}</td>
              <td>{countText(sender.acknowledged)}</td>
              <td>{count(sender.intact)}</td>
              <td>{countText(sender.lost)}</td>
            </tr>
          )),
        )}
      </tbody>
    </FigureTable>
  );
}

const countText = (number: number | null): string => (number === null ? "–" : count(number));
