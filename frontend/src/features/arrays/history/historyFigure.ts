import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { ArrayHistory } from "@/api/shapes";
import { onClock } from "@/charts/clockAxis";
import type { DataTable } from "@/charts/dataTable";
import { type ChartPalette, type Figure, type Line, type Span, withPlaces } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { formatMoment, levelsWords, type RateUnit, rateIn } from "@/components/quantities";
import { textOf } from "@/features/compare/Compared";
import { kindOf } from "@/features/kinds/registry";

type Point = ArrayHistory["points"][number];

const STRIP = 220;
/** The most changes that are marked in the chart, the newest; the table has all of them. */
export const MOST_MARKS = 8;
/** Room before the first and after the last run, as a share of the time between them. */
const MARGIN = 0.03;
const LEAST_MARGIN_MS = 30_000;
/** Numbers at lines that are nearer than this share of the time would overlap. */
const NEAR = 0.03;

/** The places of an array's runs, in the order in which they first ran. */
export const placesOf = (points: readonly Point[]): string[] => [
  ...new Set(points.map(({ places }) => places.join(" + "))),
];

/** The time that the chart shows without a zoom, in ms since 1970. */
export function spanOf(points: readonly Point[]): Span {
  const times = points.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const margin = Math.max((last - first) * MARGIN, LEAST_MARGIN_MS);
  return [first - margin, last + margin];
}

/** What a point's line shows: its mean, or the last of the levels that replace it. */
const lastOf = ({ bytes_per_s, levels }: Point): number =>
  levels?.at(-1)?.bytes_per_s ?? bytes_per_s;

/** The levels of a run before its last one, as points of their own. */
const earlierLevels = (points: readonly Point[], style: number, unit: RateUnit): Line[] => {
  const found = points.flatMap(({ at, levels }) =>
    (levels ?? []).slice(0, -1).map(({ bytes_per_s }) => ({ at: Date.parse(at), bytes_per_s })),
  );
  if (found.length === 0) return [];
  return [
    {
      name: "earlier levels",
      style,
      x: found.map(({ at }) => at),
      y: found.map(({ bytes_per_s }) => rateIn(bytes_per_s, unit)),
      points: true,
    },
  ];
};

/** One figure of an array over time: a line for each place, and a numbered mark for each change. */
export function historyFigure(
  points: readonly Point[],
  changes: readonly ChangesOfRun[],
  unit: RateUnit,
  palette: ChartPalette,
  shown: Span = spanOf(points),
): Figure {
  const lines = placesOf(points).flatMap((place, style): Line[] => {
    const own = points.filter(({ places }) => places.join(" + ") === place);
    return [
      {
        name: place,
        style,
        x: own.map(({ at }) => Date.parse(at)),
        y: own.map((point) => rateIn(lastOf(point), unit)),
        points: "joined",
      },
      ...earlierLevels(own, style, unit),
    ];
  });
  const span = spanOf(points);
  const figure = stripsFigure([{ title: "Throughput", unit, height: STRIP, lines }], {
    palette,
    xTitle: "Start of run",
    revision: `history ${span.join()}`,
    marks: marksOf(changes, span),
    span,
  });
  const runs = points.map(({ at, run_id, levels }) => ({
    at: Date.parse(at),
    text:
      `run ${run_id}, ${formatMoment(new Date(at))}` +
      (levels ? `: ${levelsWords(levels, unit)}` : ""),
    minor: true,
  }));
  const placed = withPlaces(figure, runs);
  return onClock(placed, shown);
}

function marksOf(changes: readonly ChangesOfRun[], span: Span) {
  const near = (span[1] - span[0]) * NEAR;
  let labelled = Number.NEGATIVE_INFINITY;
  return changes.slice(-MOST_MARKS).map((run) => {
    const at = Date.parse(run.at);
    const fits = at - labelled >= near;
    if (fits) labelled = at;
    return {
      at,
      label: fits ? String(run.number) : "",
      sentence: `${run.number}: ${changeWords(run)}`,
    };
  });
}

export const historyTable = (points: readonly Point[], unit: RateUnit): DataTable => ({
  columns: ["start", "run", "campaign", "place", `throughput (${unit})`, "levels", "verdict"],
  rows: points.map((point) => [
    point.at,
    point.run_id,
    point.campaign_name,
    point.places.join(" + "),
    Number(rateIn(lastOf(point), unit).toPrecision(6)),
    point.levels ? levelsWords(point.levels, unit) : "",
    point.verdict ?? "",
  ]),
});

export type HistoryChange = ArrayHistory["changes"][number];

/** The changes that the same run showed first, with the number of its line in the chart. */
export interface ChangesOfRun {
  number: number;
  run_id: number;
  at: string;
  changes: HistoryChange[];
}

/** The changes by the run that showed them first, numbered from the oldest. */
export function changesByRun(changes: readonly HistoryChange[]): ChangesOfRun[] {
  const found = new Map<number, HistoryChange[]>();
  for (const change of changes) {
    found.set(change.run_id, [...(found.get(change.run_id) ?? []), change]);
  }
  return [...found].map(([run_id, own], index) => ({
    number: index + 1,
    run_id,
    at: own[0]?.at ?? "",
    changes: own,
  }));
}

/** A condition's value before and after; of a list of options only those that differ. */
export function beforeAndAfter(
  { name, before, after }: HistoryChange,
  kind: string,
): [before: string, after: string] {
  if (name === "fs_options" && typeof before === "string" && typeof after === "string") {
    const [was, now] = [before.split(","), after.split(",")];
    const gone = was.filter((option) => !now.includes(option)).join(", ");
    const added = now.filter((option) => !was.includes(option)).join(", ");
    return [gone || "–", added || "–"];
  }
  const text = (value: unknown) => textOf(kindOf({ kind }), name, value);
  return [text(before), text(after)];
}

/** What changed, for the line in the chart: "Kernel, mount options". */
export const changeWords = ({ changes }: ChangesOfRun): string =>
  changes
    .map(({ what }, index) => (index === 0 ? what : what.charAt(0).toLowerCase() + what.slice(1)))
    .join(", ");

/** What names a test in the address: `acceptance/matrix/Write`. */
export const testKey = ({ profile, kind, title }: TestName): string =>
  [profile, kind, title].join("/");

type TestName = Pick<NonNullable<ArrayHistory["test"]>, "profile" | "kind" | "title">;

/** The test that an address names; a title may have slashes. */
export function testOf(key: string | undefined): TestName | null {
  const [profile, kind, ...title] = (key ?? "").split("/");
  return profile && kind && title.length > 0 ? { profile, kind, title: title.join("/") } : null;
}

/** The history of an array, of one of its tests or of the most measured one. */
export const arrayHistoryQuery = (id: number, test: TestName | null) =>
  queryOptions({
    queryKey: ["history", id, test && testKey(test)],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/arrays/{array_id}/history", {
          params: { path: { array_id: id }, query: { ...test } as object },
        }),
      ),
  });
