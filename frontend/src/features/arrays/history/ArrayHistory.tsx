import { Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ArrayHistory as History } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import { seriesStyle } from "@/charts/color";
import { useChartPalette } from "@/charts/palette";
import type { Span } from "@/charts/strips";
import { Empty } from "@/components/feedback/Empty";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { counted, RelativeTime, rateText, useRateUnit } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import classes from "./ArrayHistory.module.css";
import { beforeAndAfter, changesByRun, type HistoryChange } from "./changes";
import { historyFigure, historyTable, placesOf } from "./historyFigure";
import { arrayHistoryQuery } from "./query";

type MeasuredTest = NonNullable<History["test"]>;

const HEIGHT = 290;

/** One figure of an array over time, with what changed between its runs. */
export function ArrayHistory({ arrayId, name }: { arrayId: number; name: string }) {
  const [test, setTest] = useState<MeasuredTest | null>(null);
  const history = useQuery({
    ...arrayHistoryQuery(arrayId, test),
    placeholderData: keepPreviousData,
  });
  return (
    <Section
      title="History"
      hint="Each run against the previous one of the same test at the same place."
    >
      <Resolved query={history} what="history" rows={6}>
        {(found) =>
          found.test === null ? (
            <Empty title="No history yet">
              It begins with the first run that ends on a target of this array.
            </Empty>
          ) : (
            <>
              {found.tests.length > 1 ? (
                <Select
                  className={classes.test}
                  label="Test"
                  allowDeselect={false}
                  searchable
                  data={found.tests.map((one) => ({ value: keyOf(one), label: wordsOf(one) }))}
                  value={keyOf(found.test)}
                  onChange={(key) => setTest(found.tests.find((one) => keyOf(one) === key) ?? null)}
                />
              ) : null}
              <HistoryChart history={found} test={found.test} arrayId={arrayId} name={name} />
              <Changes history={found} test={found.test} />
            </>
          )
        }
      </Resolved>
    </Section>
  );
}

interface HistoryProps {
  history: History;
  test: MeasuredTest;
}

function HistoryChart(props: HistoryProps & { arrayId: number; name: string }) {
  const { history, test, arrayId, name } = props;
  const { points, changes, runs } = history;
  const { unit } = useRateUnit();
  const palette = useChartPalette();
  const [zoom, setZoom] = useState<{ of: string; to: Span | null }>({ of: "", to: null });
  const key = keyOf(test);
  const shown = zoom.of === key ? zoom.to : null;
  const figure = useMemo(
    () =>
      points.length === 0
        ? null
        : historyFigure(points, changesByRun(changes), unit, palette, shown ?? undefined),
    [points, changes, unit, palette, shown],
  );
  const places = placesOf(points);
  const latest = points.at(-1);
  return (
    <Chart
      key={key}
      title={`Throughput of “${test.title}” over time`}
      about={name}
      description={
        latest
          ? `${counted(points.length, "run")} of ${wordsOf(test)}, the newest with ${rateText(latest.bytes_per_s, unit)}, and ${counted(changes.length, "change")}. The Table button shows all values.`
          : "No run has a throughput."
      }
      figure={figure}
      empty="No run of this test has a throughput."
      height={HEIGHT}
      table={() => historyTable(points, unit)}
      filename={`array-${arrayId}-history`}
      onZoom={(to) => setZoom({ of: key, to })}
    >
      {points.length > 0 && runs > points.length ? (
        <p className={classes.note}>
          {points.length} of {counted(runs, "run")}: the newest that have a throughput.
        </p>
      ) : null}
      {places.length > 1 ? (
        <ul className={classes.places} aria-label="Places">
          {places.map((place, index) => (
            <li key={place}>
              <span
                className={classes.swatch}
                style={{ background: seriesStyle(index, palette.ink).color }}
              />
              {place}
            </li>
          ))}
        </ul>
      ) : null}
    </Chart>
  );
}

type Row = HistoryChange & { number: number; key: string; was: string; now: string };

const column = columnsOf<Row>();

const COLUMNS = column.columns([
  column.accessor("number", {
    header: "No.",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor("at", {
    header: "Since",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.accessor("run_id", {
    header: "First run",
    cell: ({ getValue }) => (
      <Link to="/runs/$id" params={{ id: getValue() }}>
        run {getValue()}
      </Link>
    ),
  }),
  column.accessor("what", { header: "What changed" }),
  column.accessor("was", { header: "Before" }),
  column.accessor("now", { header: "After" }),
  column.accessor((row) => row.places.join(", "), { id: "places", header: "Place" }),
]);

function Changes({ history, test }: HistoryProps) {
  if (history.changes.length === 0) {
    return history.points.length > 1 ? (
      <p className={classes.note}>
        No recorded change of inventory, firmware, mount options or parameters between these runs.
      </p>
    ) : null;
  }
  const rows = changesByRun(history.changes).flatMap(({ number, changes }) =>
    changes.map((change): Row => {
      const [was, now] = beforeAndAfter(change, test.kind);
      return { ...change, number, key: `${number} ${change.name} ${change.places}`, was, now };
    }),
  );
  return (
    <DataTable
      caption="Changes between runs"
      columns={COLUMNS}
      rows={rows}
      rowId={({ key }) => key}
      sortedBy="-number"
    />
  );
}

const keyOf = ({ profile, kind, title }: MeasuredTest): string =>
  JSON.stringify([profile, kind, title]);

const wordsOf = ({ profile_name, title, runs }: MeasuredTest): string =>
  `${profile_name}: ${title} (${counted(runs, "run")})`;
