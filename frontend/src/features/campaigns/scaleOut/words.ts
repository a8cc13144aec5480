import type { ScaledRate, ScaledRun, ScaledTarget, ScaleOutCurve } from "@/api/shapes";
import { formatRate, type RateUnit } from "@/components/quantities";

const DOUBTS: Record<NonNullable<ScaledRate["doubt"]>, string> = {
  not_measured: "not measured",
  unreliable: "unreliable trials",
  cliff: "rate with a cliff",
  page_cache: "page cache",
  bounded: "upper bound",
  paced: "paced",
  other_rules: "judged by other rules",
};

type Counted = ScaleOutCurve["counted"];

/** One of what a curve counts: "target", "pair". */
export const oneOf = (counted: Counted): string => (counted === "pairs" ? "pair" : "target");

/** "1.20 GB/s" */
export const rateText = (rate: ScaledRate | null, unit: RateUnit): string =>
  rate === null || rate.bytes_per_s === null ? "–" : formatRate(rate.bytes_per_s, unit);

/** "87 %", or why the rate does not compare; `alone` is the rate of one target or pair. */
export function efficiencyText(
  rate: ScaledRate | null,
  alone: ScaledRate | null,
  counted: Counted,
): string {
  if (rate === null) return "–";
  if (rate.efficiency !== null) return `${Math.round(rate.efficiency * 100)}\u00a0%`;
  if (rate.doubt !== null) return `– (${DOUBTS[rate.doubt]})`;
  return alone?.doubt ? `– (one ${oneOf(counted)}: ${DOUBTS[alone.doubt]})` : "–";
}

/** "52 % · 48 %" */
export const sharesText = ({ parts }: Pick<ScaledRun, "parts">): string =>
  parts.every(({ share }) => share === null)
    ? "–"
    : parts
        .map(({ share }) => (share === null ? "–" : `${Math.round(share * 100)}\u00a0%`))
        .join(" · ");

/** "web-2 /mnt/b" */
export const targetText = ({ host, path }: Pick<ScaledTarget, "host" | "path">): string =>
  `${host} ${path ?? ""}`.trim();

/** From this index on, which is shown as 1.000, no target is slower to speak of. */
const EVEN = 0.9995;

/** The slowest target and its rate: "web-2 /mnt/b, 310 MB/s"; "–" of one target, or if all are alike. */
export function slowestText(run: ScaledRun, unit: RateUnit): string {
  if ((run.fairness ?? 0) >= EVEN) return "–";
  const slowest = run.parts.find(
    ({ participant_id }) => participant_id === run.slowest_participant_id,
  );
  if (!slowest) return "–";
  const rate = slowest.bytes_per_s === null ? "" : `, ${formatRate(slowest.bytes_per_s, unit)}`;
  return `${targetText(slowest)}${rate}`;
}
