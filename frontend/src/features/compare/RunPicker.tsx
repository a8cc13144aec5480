import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runsQuery } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";
import { seriesStyle } from "@/charts/color";
import { useChartPalette } from "@/charts/palette";
import { RelativeTime } from "@/components/quantities";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { letterOf } from "./letters";
import classes from "./RunPicker.module.css";

interface RunPickerProps {
  ids: number[];
  /** The runs of these ids, as far as they are known. */
  runs: readonly RunSummary[];
  onChange: (ids: number[]) => void;
}

/** The runs side by side, each with its letter; any can be removed, and others added. */
export function RunPicker({ ids, runs, onChange }: RunPickerProps) {
  const all = useQuery(runsQuery());
  const palette = useChartPalette();
  const known = new Map([...(all.data?.items ?? []), ...runs].map((run) => [run.id, run]));
  const others = (all.data?.items ?? []).filter(
    (run) => !ids.includes(run.id) && run.trials_done > 0,
  );
  return (
    <div>
      <ol className={classes.runs}>
        {ids.map((id, index) => {
          const run = known.get(id);
          return (
            <li key={id} className={classes.run}>
              <span
                className={classes.letter}
                style={{ borderColor: seriesStyle(index, palette.ink).color }}
              >
                {letterOf(index)}
              </span>
              <Link to="/runs/$id" params={{ id }} className={classes.name}>
                {run ? `${run.title} on ${hostsOf(run)}` : `Run ${id}`}
              </Link>
              <span className={classes.place}>
                {run ? (
                  <>
                    run {id}, <code>{placeOf(run)}</code>,{" "}
                    <RelativeTime at={run.ended_at ?? run.created_at} />
                  </>
                ) : null}
              </span>
              <Button
                variant="subtle"
                size="xs"
                aria-label={`Remove ${letterOf(index)} from the comparison`}
                onClick={() => onChange(ids.filter((other) => other !== id))}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ol>
      <Select
        className={classes.add}
        searchable
        value={null}
        aria-label="Add a run to the comparison"
        placeholder="Add a run"
        nothingFoundMessage={all.isPending ? "Loading runs…" : "No other measured runs"}
        data={others.map((run) => ({ value: String(run.id), label: optionText(run) }))}
        onChange={(value) => value && onChange([...ids, Number(value)])}
      />
    </div>
  );
}

const optionText = (run: RunSummary): string => {
  const when = new Date(run.ended_at ?? run.created_at).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return `${run.title} on ${hostsOf(run)}, ${placeOf(run)}, ${when} (run ${run.id})`;
};
