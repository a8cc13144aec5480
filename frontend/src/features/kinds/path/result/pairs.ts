/** The pairs of source and sink that run together. */
import { formatRate, formatShare, type RateUnit } from "@/components/quantities";
import {
  type Path,
  type PathLeg,
  type PathPair,
  type PathSetting,
  type PathTrial,
  readsDisk,
  writesDisk,
} from "@/features/kinds/path/path";
import { participantLabels } from "@/features/samples/participantLabels";
import type { TrialEnd } from "@/features/transfers/courses";
import { endParts, type Fan, type FanEnd, isNetwork } from "@/features/transfers/FanDrawing";
import { limitsOf, threadWords } from "./pathParts";

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

/** The physical devices below a participant's target; none if they are unknown. */
export const devicesOf = ({ participants }: Path, id: number): readonly string[] =>
  participants.find((one) => one.id === id)?.devices ?? [];

/**
 * All pairs of a trial as a drawing, with what limits all of them: each host once, with the disks that
 * the pairs use there, and one line between two hosts.
 */
export function fanOf(
  path: Path,
  { leg }: Pick<PathLeg, "leg">,
  trial: PathTrial,
  setting: PathSetting,
  unit: RateUnit,
): Fan {
  const pairs = pairsOf(trial);
  const limits = limitsOf(setting, { leg });
  const hosts = {
    source: [...new Set(pairs.map((one) => one.source_host))],
    sink: [...new Set(pairs.map((one) => one.sink_host))],
  };
  const total = sumOf(pairs) ?? 0;
  const endOf = (side: Side, host: string): FanEnd => {
    const own = pairs.filter((one) => one[`${side}_host`] === host);
    const rate = sumOf(own);
    const places = [...new Set(own.map((one) => one[side]))];
    const usesDisk = side === "source" ? readsDisk(leg) : writesDisk(leg);
    const role = side === "source" ? "sender" : "receiver";
    const parts = endParts(side, own[0]?.[role] ?? null, usesDisk, limits);
    const [storage, ...others] = parts;
    const slow = setting.bottleneck?.disks ?? [];
    const disks = places.flatMap((place) => {
      const there = own.filter((one) => one[side] === place);
      const [first] = there;
      const words = [
        places.length > 1 ? pathWords(place, host) : storage?.words,
        usesDisk && first ? diskThreads(path, first, role) : null,
        places.length > 1 ? rateWords(sumOf(there), unit) : null,
      ];
      return storage
        ? [
            {
              ...storage,
              words: words.filter(Boolean).join(", "),
              isBottleneck: storage.isBottleneck === true && isAmong(place, places, slow),
            },
          ]
        : [];
    });
    return {
      key: host,
      title: places.length === 1 ? (places[0] ?? host) : host,
      parts: [...disks, ...others],
      load: rate === null ? null : loadWords(rate, total, unit),
    };
  };
  return {
    sources: hosts.source.map((host) => endOf("source", host)),
    sinks: hosts.sink.map((host) => endOf("sink", host)),
    lines: hosts.source.flatMap((source, from) =>
      hosts.sink.flatMap((sink, to) => {
        const between = pairs.filter((one) => one.source_host === source && one.sink_host === sink);
        const shares = between.flatMap(({ share }) => share ?? []);
        const share = shares.length > 0 ? shares.reduce((sum, one) => sum + one, 0) : null;
        return between.length > 0 ? [{ from, to, share }] : [];
      }),
    ),
    isNetworkBottleneck: isNetwork(limits),
  };
}

type Side = "source" | "sink";

/** The rate of these pairs together; null while none has one. */
function sumOf(pairs: readonly PathPair[]): number | null {
  const known = pairs.flatMap((one) => one.application_bytes_per_s ?? []);
  return known.length > 0 ? known.reduce((sum, one) => sum + one, 0) : null;
}

/** The directory of a place, whose host is named above it. */
const pathWords = (place: string, host: string): string =>
  place.startsWith(`${host} `) ? place.slice(host.length + 1) : place;

/** Of several disks the slow ones limit; if none of these is among the places, all do. */
const isAmong = (place: string, places: readonly string[], slow: readonly string[]): boolean =>
  slow.includes(place) || !places.some((one) => slow.includes(one));

/** "2 threads, sda and sdb", of a pair's end. */
function diskThreads(path: Path, pair: PathPair, role: "sender" | "receiver"): string | null {
  const names = role === "sender" ? ["read"] : ["write"];
  const stage = pair[role]?.stages.find(({ name }) => names.includes(name));
  return stage ? threadWords(stage.threads, devicesOf(path, pair[`${role}_id`])) : null;
}

const rateWords = (rate: number | null, unit: RateUnit): string | null =>
  rate === null ? null : formatRate(rate, unit);

const loadWords = (rate: number, total: number, unit: RateUnit): string => {
  const share = total > 0 ? rate / total : null;
  return share === null || share === 1
    ? formatRate(rate, unit)
    : `${formatRate(rate, unit)}, ${formatShare(share)}`;
};
