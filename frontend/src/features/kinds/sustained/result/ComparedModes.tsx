import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import type { RateUnit } from "@/components/quantities";
import {
  capital,
  type Direction,
  directionName,
  modeWords,
  type SustainedCell,
} from "@/features/kinds/sustained/sustained";
import { TrialsOverlay } from "./TrialsOverlay";

interface ComparedModesProps {
  directions: readonly Direction[];
  /** The selected cell; drawn are those that differ from it in nothing but their mode. */
  cell: SustainedCell;
  /** Whose samples are drawn, where there are several participants, and its name. */
  participant: number | undefined;
  whose: string | null;
  memory: number;
  unit: RateUnit;
}

/** The caches and priorities that a test compares, overlaid; nothing if it compares none. */
export function ComparedModes(props: ComparedModesProps) {
  const { directions, cell, participant, whose, memory, unit } = props;
  const compared = directions.flatMap((direction) => {
    const trials = overlaid(direction, cell, placeOf(directions[0], participant));
    return trials.length > 1 ? [{ direction, trials }] : [];
  });
  return compared.map(({ direction: { operation, run_id }, trials }) => (
    <Section
      key={operation}
      title={
        compared.length > 1
          ? `${directionName(operation)}: ${comparedWords(trials)}`
          : capital(comparedWords(trials))
      }
      hint={`Of each, the trial with the median rate${whose ? `, at ${whose}` : ""}.`}
    >
      <PanelBoundary>
        <TrialsOverlay
          trials={trials}
          what="mode"
          operation={operation}
          unit={unit}
          memory={memory}
          empty="No trial has been measured."
          filename={`run-${run_id}-modes`}
        />
      </PanelBoundary>
    </Section>
  ));
}

/** "direct I/O against page cache" */
const comparedWords = (trials: readonly { name: string }[]): string =>
  trials.map(({ name }) => name).join(trials.length > 2 ? " / " : " against ");

/** The place of a participant in a direction, which is that of its target in each; null if single. */
const placeOf = (direction: Direction | undefined, id: number | undefined): number | null =>
  id === undefined
    ? null
    : Math.max(0, direction?.participants.findIndex((one) => one.id === id) ?? 0);

/** The trials to draw of a direction, with the samples of the participant at `place`. */
export function overlaid(
  { cells, participants }: Direction,
  selected: SustainedCell,
  place: number | null,
) {
  const alike = cells.filter((one) => settingOf(one) === settingOf(selected));
  return alike.flatMap((one, style) => {
    const name = modeWords(one.mode);
    const trial = one.trials.find(({ id }) => id === one.shown_trial_id);
    const participant = place === null ? undefined : participants[place]?.id;
    return name && trial ? [{ name, style, trial, participant }] : [];
  });
}

/** All parameters of a cell but its mode. */
const settingOf = (cell: SustainedCell): string =>
  [cell.block, cell.queue_depth, cell.rate_bytes_per_s, cell.burst_blocks, cell.idle_ms].join(" ");
