/** The pairs of source and sink that run together. */
import { formatRate, formatShare, type RateUnit } from "@/components/quantities";
import type { Path, PathLeg, PathPair, PathTrial } from "@/features/kinds/path/shapes";
import { readsDisk, writesDisk } from "@/features/kinds/path/words";
import { participantLabels } from "@/features/samples/participantLabels";
import type { TrialEnd } from "@/features/transfers/courses";
import type { FanEnd } from "@/features/transfers/FanDrawing";
import { endParts, type Fan, isNetwork } from "@/features/transfers/fan";
import type { Limit } from "@/features/transfers/limits";

/** The pairs of a trial; none if there is only one source and one sink. */
export const pairsOf = ({ pairs }: PathTrial): readonly PathPair[] => pairs ?? [];

/** Whether several pairs run together. */
export const isJoint = ({ participants }: Path): boolean => participants.length > 2;

/** What tells the pairs apart, in few letters: their sources, else their sinks. */
export function pairLabels({ participants }: Path): string[] {
  const of = (role: string) => participants.filter((one) => one.role === role);
  const distinct = (ends: Path["participants"]) =>
    new Set(ends.map(({ host, path }) => `${host} ${path}`)).size === ends.length;
  const [senders, receivers] = [of("sender"), of("receiver")];
  // the others' roles would say the same of each
  const ends = distinct(senders) || !distinct(receivers) ? senders : receivers;
  return participantLabels(ends.map(({ host, path }) => ({ host, path })));
}

/** The pair of an address; the first by default. */
export const shownPair = (trial: PathTrial, position: string | undefined): PathPair | null => {
  const pairs = pairsOf(trial);
  return pairs[Number(position ?? 0)] ?? pairs[0] ?? null;
};

/** The ends of one pair that take part in a leg. */
export const endsOfPair = (ends: readonly TrialEnd[], pair: PathPair): TrialEnd[] =>
  ends.filter(
    ({ participant }) => participant === pair.sender_id || participant === pair.receiver_id,
  );

/** All pairs of a trial as a drawing, with the rate of each end and what limits all of them. */
export function fanOf(
  { leg }: Pick<PathLeg, "leg">,
  trial: PathTrial,
  limits: readonly Limit[],
  unit: RateUnit,
): Fan {
  const pairs = pairsOf(trial);
  const names = {
    source: [...new Set(pairs.map((one) => one.source))],
    sink: [...new Set(pairs.map((one) => one.sink))],
  };
  const total = pairs.reduce((sum, one) => sum + (one.application_bytes_per_s ?? 0), 0);
  const endOf = (side: "source" | "sink", name: string): FanEnd => {
    const own = pairs.filter((one) => one[side] === name);
    const rate = own.reduce((sum, one) => sum + (one.application_bytes_per_s ?? 0), 0);
    const isKnown = own.some((one) => one.application_bytes_per_s !== null);
    const usesDisk = side === "source" ? readsDisk(leg) : writesDisk(leg);
    const figures = own[0]?.[side === "source" ? "sender" : "receiver"] ?? null;
    return {
      key: name,
      title: name,
      parts: endParts(side, figures, usesDisk, limits),
      load: isKnown ? loadWords(rate, total, unit) : null,
    };
  };
  return {
    sources: names.source.map((name) => endOf("source", name)),
    sinks: names.sink.map((name) => endOf("sink", name)),
    lines: pairs.map((one) => ({
      from: names.source.indexOf(one.source),
      to: names.sink.indexOf(one.sink),
      share: one.share,
    })),
    isNetworkBottleneck: isNetwork(limits),
  };
}

const loadWords = (rate: number, total: number, unit: RateUnit): string => {
  const share = total > 0 ? rate / total : null;
  return share === null || share === 1
    ? formatRate(rate, unit)
    : `${formatRate(rate, unit)}, ${formatShare(share)}`;
};
