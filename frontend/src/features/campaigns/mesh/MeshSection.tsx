/** A mesh as a grid of source × destination. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { meshQuery } from "@/api/queries";
import type { Campaign, Mesh, MeshGrid, RunSummary } from "@/api/shapes";
import { cividis, positionOn, scaleOf, widened } from "@/charts/color";
import type { CellState, Grid, GridCell } from "@/charts/grid";
import { HeatGrid } from "@/charts/HeatGrid";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Page";
import { type RateUnit, rateFigure, useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/StateBadge";
import { PartDownloads } from "@/features/campaigns/PartDownloads";
import classes from "@/features/campaigns/PartDownloads.module.css";
import { headlineText } from "@/features/kinds/results";

/** The rate from each place to each other one, renewed whenever a run ends; a cell opens its run. */
export function MeshSection({ campaign }: { campaign: Campaign }) {
  const ended = campaign.runs.filter(({ state }) => hasEnded(state)).length;
  const query = useQuery(meshQuery(campaign.id, ended));
  const { unit } = useRateUnit();
  const navigate = useNavigate();
  return (
    <Section
      title="Mesh"
      hint={`Rates in ${unit}, from the place of the row to that of the column. A cell opens its run, with both ends over time.`}
      action={<PartDownloads campaignId={campaign.id} part="mesh" />}
    >
      <Resolved query={query} what="mesh" rows={4}>
        {(mesh) =>
          mesh.grids.map((grid) => (
            <div key={grid.test} className={classes.curve}>
              {mesh.grids.length > 1 ? <h3>{grid.title}</h3> : null}
              <HeatGrid
                grid={meshGrid(mesh, grid, campaign.runs, unit)}
                caption={`${grid.title}: rate in ${unit} from source to destination`}
                onSelect={(key) => {
                  const run = runOf(key);
                  if (run !== null) navigate({ to: "/runs/$id", params: { id: run } });
                }}
              />
            </div>
          ))
        }
      </Resolved>
    </Section>
  );
}

type Cell = MeshGrid["cells"][number];

const STATES: Partial<Record<RunSummary["state"], CellState>> = {
  preparing: "running",
  running: "running",
  finishing: "running",
  done: "done",
  failed: "failed",
  cancelled: "failed",
};

/** A row for each source, a column for each destination; the diagonal is empty. */
export function meshGrid(
  { places }: Mesh,
  { cells }: MeshGrid,
  runs: readonly Pick<RunSummary, "id" | "state">[],
  unit: RateUnit,
): Grid {
  const found = scaleOf(cells.map(({ bytes_per_s }) => bytes_per_s));
  const scale = found && widened(found);
  const names = places.map(({ host, path }) => `${host} ${path ?? "memory"}`);
  const hosts = places.map(({ host }) => host);
  const highest = Math.max(...cells.map(({ bytes_per_s }) => bytes_per_s ?? 0));
  const drawn = (from: number, to: number): GridCell => {
    const cell = cells.find(({ source, sink }) => source === from && sink === to);
    const route = `${names[from]} → ${names[to]}`;
    if (!cell) {
      const sentence = from === to ? `${names[from]}: no transfer to itself` : `${route}: no run`;
      return { ...EMPTY, key: `none-${from}-${to}`, sentence };
    }
    const { bytes_per_s: rate, run_id } = cell;
    // the list of runs is live, the mesh is renewed when one ends
    const state = runs.find(({ id }) => id === run_id)?.state ?? cell.state;
    return {
      ...EMPTY,
      key: keyOf(run_id),
      state: STATES[state] ?? "empty",
      text: rate === null ? (state === "done" ? "–" : "") : rateFigure(rate, unit),
      note: rate === null && state !== "done" ? state : null,
      fill: rate === null || scale === null ? null : cividis(positionOn(scale, rate)),
      best: rate !== null && rate === highest,
      sentence: `${route}: ${sentenceOf(cell, state, unit)}`,
    };
  };
  return {
    rowTitle: "From",
    columnTitle: "To",
    columns: hosts.map((label, index) => ({ key: String(index), label })),
    rows: hosts.map((label, from) => ({
      key: String(from),
      label,
      cells: hosts.map((_, to) => drawn(from, to)),
    })),
  };
}

const EMPTY: Omit<GridCell, "key" | "sentence"> = {
  state: "empty",
  text: "",
  note: null,
  fill: null,
  best: false,
  withinNoise: false,
  badge: null,
};

const keyOf = (run: number): string => `run-${run}`;

/** The run of a cell; null if it has none. */
export const runOf = (key: string): number | null =>
  key.startsWith("run-") ? Number(key.slice("run-".length)) : null;

function sentenceOf({ headline }: Cell, state: string, unit: RateUnit): string {
  return headline ? headlineText(headline, unit) : state;
}
