import { Button, Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ArrayHistory as History } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import { seriesStyle } from "@/charts/color";
import { type Span, useChartPalette } from "@/charts/figure";
import { Empty } from "@/components/feedback/Notices";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { counted, RelativeTime, rateOrLevels, useRateUnit } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import classes from "@/features/arrays/Arrays.module.css";
import { useLinkedZoom } from "@/features/samples/useLinkedZoom";
import {
  arrayHistoryQuery,
  beforeAndAfter,
  changesByRun,
  type HistoryChange,
  historyFigure,
  historyTable,
  placesOf,
  testKey,
  testOf,
} from "./historyFigure";

type MeasuredTest = NonNullable<History["test"]>;

const HEIGHT = 290;

/** One figure of an array over time, with what changed between its runs. */
export function ArrayHistory({ arrayId, name }: { arrayId: number; name: string }) {
  const { history: key }: { history?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const chosen = testOf(key);
  const history = useQuery({
    ...arrayHistoryQuery(arrayId, chosen),
    placeholderData: keepPreviousData,
  });
  const choose = (history: string | null) =>
    void navigate({
      to: ".",
      search: (before: object): object => ({
        ...before,
        history: history ?? undefined,
        zoom: undefined,
      }),
      replace: true,
      resetScroll: false,
    });
  const most = (
    <Button variant="default" onClick={() => choose(null)}>
      Show the most measured test
    </Button>
  );
  return (
    <Section
      title="History"
      hint="Each run against the previous one of the same test at the same place."
    >
      <Resolved
        query={history}
        what="history"
        rows={6}
        elsewhere={chosen === null ? undefined : most}
      >
        {(found) => (
          <>
            {found.tests.length > 1 ? (
              <Select
                className={classes.test}
                label="Test"
                allowDeselect={false}
                searchable
                data={found.tests.map((one) => ({ value: testKey(one), label: wordsOf(one) }))}
                value={found.test && testKey(found.test)}
                onChange={choose}
              />
            ) : null}
            {found.test ? (
              <>
                <HistoryChart
                  key={testKey(found.test)}
                  history={found}
                  test={found.test}
                  arrayId={arrayId}
                  name={name}
                />
                <Changes history={found} test={found.test} />
              </>
            ) : found.tests.length > 0 ? (
              <Empty title="No runs of this test">
                The test in this link has no ended run on this array. {most}
              </Empty>
            ) : (
              <Empty title="No history yet">
                It begins with the first run that ends on a target of this array.
              </Empty>
            )}
          </>
        )}
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
  const [shown, setShown] = useState<Span | null>(null);
  const linked = useLinkedZoom(setShown);
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
      title={`Throughput of “${test.title}” over time`}
      about={name}
      description={
        latest
          ? `${counted(points.length, "run")} of ${wordsOf(test)}, the newest with ${rateOrLevels(latest.bytes_per_s, latest.levels, unit)}, and ${counted(changes.length, "change")}. The Table button shows all values.`
          : "No run has a throughput."
      }
      figure={figure}
      empty="No run of this test has a throughput."
      height={HEIGHT}
      table={() => historyTable(points, unit)}
      filename={`array-${arrayId}-history`}
      zoomed={linked.zoomed}
      onZoom={linked.onZoom}
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
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor("at", {
    header: "Since",
    meta: { narrow: "figure" },
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
  column.accessor("what", { header: "What changed", meta: { narrow: "lead" } }),
  column.accessor("was", { header: "Before", meta: { narrow: "second" } }),
  column.accessor("now", { header: "After", meta: { narrow: "named" } }),
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

const wordsOf = ({ profile_name, title, runs }: MeasuredTest): string =>
  `${profile_name}: ${title} (${counted(runs, "run")})`;
