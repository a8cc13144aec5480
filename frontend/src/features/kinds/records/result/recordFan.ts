/** The senders of a records trial and the receiver, as a drawing. */
import { formatRate, formatShare, type RateUnit } from "@/components/quantities";
import { formatRecordRate } from "@/features/kinds/records/headline";
import type { Records, RecordsCell, RecordsTrial } from "@/features/kinds/records/shapes";
import { endParts, type Fan, isNetwork, knownLimits } from "@/features/transfers/fan";

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
