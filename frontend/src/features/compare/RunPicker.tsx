import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { MOST_COMPARED } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";
import { seriesStyle } from "@/charts/color";
import { useChartPalette } from "@/charts/palette";
import { RelativeTime } from "@/components/quantities";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { CandidateSearch } from "./CandidateSearch";
import { letterOf } from "./letters";
import classes from "./RunPicker.module.css";

interface RunPickerProps {
  ids: number[];
  /** The runs of these ids, as far as they are known; those compared have their campaign's name. */
  runs: readonly (RunSummary & { campaign_name?: string })[];
  onChange: (ids: number[]) => void;
}

/**
 * The runs side by side, each with its letter. The first is the base that the others are compared
 * with; any can become it or be removed, and others are added.
 */
export function RunPicker({ ids, runs, onChange }: RunPickerProps) {
  const palette = useChartPalette();
  const known = new Map(runs.map((run) => [run.id, run]));
  const without = (id: number) => ids.filter((other) => other !== id);
  return (
    <div>
      <ol className={classes.runs}>
        {ids.map((id, index) => {
          const run = known.get(id);
          const letter = letterOf(index);
          return (
            <li key={id} className={classes.run}>
              <span
                className={classes.letter}
                style={{ borderColor: seriesStyle(index, palette.ink).color }}
              >
                {letter}
              </span>
              <Link to="/runs/$id" params={{ id }} className={classes.name}>
                {run ? `${run.title} on ${hostsOf(run)}` : `Run ${id}`}
              </Link>
              <span className={classes.place}>
                {run ? (
                  <>
                    {run.campaign_name ? `${run.campaign_name}, ` : null}run {id},{" "}
                    <code>{placeOf(run)}</code>,{" "}
                    <RelativeTime at={run.ended_at ?? run.created_at} />
                  </>
                ) : null}
              </span>
              <span className={classes.actions}>
                {index === 0 ? (
                  <span className={classes.base}>Base</span>
                ) : (
                  <Button
                    variant="subtle"
                    size="xs"
                    aria-label={`Use ${letter} as the base`}
                    onClick={() => onChange([id, ...without(id)])}
                  >
                    Use as base
                  </Button>
                )}
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`Remove ${letter} from the comparison`}
                  onClick={() => onChange(without(id))}
                >
                  Remove
                </Button>
              </span>
            </li>
          );
        })}
      </ol>
      {ids.length < MOST_COMPARED ? (
        <CandidateSearch beside={ids} onChoose={(id) => onChange([...ids, id])} />
      ) : (
        <p className={classes.place}>A comparison has at most {MOST_COMPARED} runs.</p>
      )}
    </div>
  );
}
