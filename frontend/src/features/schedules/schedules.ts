/** The queries of schedules, and their times and rules in words. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { FireTime, Page, Schedule, WeeklyBlackout } from "@/api/shapes";

/** How often pages look for new firings, in ms. */
export const REFRESH_MS = 5000;

export const scheduleQuery = (id: number) =>
  queryOptions({
    queryKey: ["schedules", id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/schedules/{schedule_id}", { params: { path: { schedule_id: id } } }),
      ) as Promise<Schedule>,
    refetchInterval: REFRESH_MS,
  });

/** What became of the fire times of a schedule, newest first. */
export const firingsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["schedules", id, "firings"],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/schedules/{schedule_id}/firings", {
          params: { path: { schedule_id: id }, query: { cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Page<unknown>) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** Expressions that most schedules use, by what they mean. */
export const PRESETS = [
  { value: "0 * * * *", label: "Every hour" },
  { value: "0 */6 * * *", label: "Every 6 hours" },
  { value: "0 2 * * *", label: "Every day at 02:00" },
  { value: "0 2 * * 1-5", label: "Monday to Friday at 02:00" },
  { value: "0 2 * * 0", label: "Every Sunday at 02:00" },
  { value: "0 2 1 * *", label: "First day of the month at 02:00" },
] as const;

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

export const dayName = (day: Day): string => (day[0] ?? "").toUpperCase() + day.slice(1);

const ON_CLOCKS = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** A wall-clock time in words: "Mon, 30 Nov 2026, 02:00". */
export const clockWords = (local: string): string =>
  ON_CLOCKS.format(new Date(`${local.slice(0, 16)}Z`));

/** A fire time in its zone, with the offset: "Mon, 30 Nov 2026, 02:00 UTC+01:00". */
export const fireTimeWords = ({ local }: Pick<FireTime, "local">): string =>
  `${clockWords(local)} UTC${local.slice(19)}`;

/** Why a fire time is not, or not only, at the time of the cron expression; null if it is. */
export function adjustmentWords({
  adjustment,
  cron_time,
}: Pick<FireTime, "adjustment" | "cron_time">): string | null {
  const clock = cron_time.slice(11, 16);
  if (adjustment === "gap") return `clocks are set forward over ${clock}`;
  if (adjustment === "repeated") return `the first of two times that clocks show ${clock}`;
  return null;
}

/** "Fri 22:00–06:00 (next day)", "Mon–Fri 08:00–18:00" or "Sat, Sun, all day". */
export function weeklyWords({ days, start, end }: WeeklyBlackout): string {
  const numbers = DAYS.flatMap((day, index) => (days.includes(day) ? [index] : []));
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? 0;
  const isRange = numbers.length > 2 && last - first === numbers.length - 1;
  const name = (index: number) => dayName(DAYS[index] ?? "mon");
  const named = isRange ? `${name(first)}–${name(last)}` : numbers.map(name).join(", ");
  if (start === "00:00" && end === "00:00") return `${named}, all day`;
  const next = end <= start && end !== "00:00" ? " (next day)" : "";
  return `${named} ${start}–${end === "00:00" ? "24:00" : end}${next}`;
}

/** "Thu, 24 Dec 2026, 00:00 – Sat, 2 Jan 2027, 00:00" */
export const datedWords = ({ start, end }: { start: string; end: string }): string =>
  `${clockWords(start)} – ${clockWords(end)}`;

const GRACES: readonly [seconds: number, label: string][] = [
  [0, "None"],
  [900, "15 min"],
  [3600, "1 h"],
  [21_600, "6 h"],
  [86_400, "24 h"],
];

/** "1 h", or the seconds if nobody would choose them from a list. */
export const graceWords = (seconds: number): string =>
  GRACES.find(([known]) => known === seconds)?.[1] ?? `${seconds} s`;

/** The choices of a grace, with the present one. */
export const graceOptions = (present: number): { value: string; label: string }[] =>
  [...new Set([...GRACES.map(([seconds]) => seconds), present])]
    .sort((a, b) => a - b)
    .map((seconds) => ({ value: String(seconds), label: graceWords(seconds) }));

/** All time zones that the browser knows, and the present one. */
export const zoneOptions = (present: string): string[] =>
  [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), present])].filter(Boolean);

/** The browser's time zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
