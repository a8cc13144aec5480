import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import type { RateUnit } from "@/components/quantities";
import type { Operation, SustainedCell, SustainedTrial } from "@/features/kinds/sustained/shapes";
import { directionName } from "@/features/kinds/sustained/words";
import { CarryTable } from "./CarryTable";
import { Figures } from "./Figures";
import { FrameTable } from "./FrameTable";
import { LatencyCurve } from "./LatencyCurve";
import { MixedTable } from "./MixedTable";
import { SlowestList } from "./SlowestList";
import classes from "./SustainedResult.module.css";
import type { Focus } from "./TrialChart";

interface DirectionSectionsProps {
  runId: number;
  operation: Operation;
  /** Whether its operations choose their blocks at random. */
  random: boolean;
  /** Whether the titles name the direction, because there is another one. */
  named: boolean;
  cell: SustainedCell;
  trial: SustainedTrial;
  unit: RateUnit;
  /** The host that reads the files back, if another than the writer does. */
  reader?: string;
  /** The names of participants, where there are several in this direction. */
  nameOf?: (participant: number) => string | null;
  /** Show a place of a trial, and the participant that it belongs to. */
  onJump: (to: Pick<Focus, "trialId" | "ns">, participant?: number) => void;
}

/** What one direction carries, its latency and stalls, and its figures. */
export function DirectionSections(props: DirectionSectionsProps) {
  const { runId, operation, random, named, cell, trial, unit, reader, nameOf, onJump } = props;
  const of = named ? `${directionName(operation)}: ` : "";
  const titled = (title: string) =>
    of ? `${of}${title.charAt(0).toLowerCase()}${title.slice(1)}` : title;
  return (
    <>
      {random ? (
        <Section title={titled("Will it carry")}>
          <p>{NO_STREAM}</p>
        </Section>
      ) : null}
      {cell.carry.length > 0 ? (
        <Section
          title={titled("Will it carry")}
          hint={nameOf ? `${carryHint(operation)} ${EVENLY}` : carryHint(operation)}
        >
          <CarryTable
            carry={cell.carry}
            unit={unit}
            nameOf={nameOf}
            onJump={({ decides }) =>
              decides &&
              onJump(
                { trialId: decides.trial_id, ns: decides.begin_ns },
                decides.participant_id ?? undefined,
              )
            }
          />
        </Section>
      ) : null}
      {trial.frames ? (
        <Section
          title={titled("Dropped frames")}
          hint={operation === "read" ? FRAME_HINTS.read : FRAME_HINTS.write}
        >
          <FrameTable
            operation={operation}
            cell={cell}
            frames={trial.frames}
            gaps={trial.gaps.some(({ delayed }) => delayed)}
          />
        </Section>
      ) : null}
      {cell.latency.length > 0 ? (
        <div className={classes.pair}>
          <Section
            title={titled("Operation latency")}
            hint={nameOf ? "Each percentile is that of the participant that is slowest there." : ""}
          >
            <PanelBoundary>
              <LatencyCurve
                operation={operation}
                cell={cell}
                nameOf={nameOf}
                filename={`run-${runId}-latency-${named ? `${operation}-` : ""}${cell.key}`}
              />
            </PanelBoundary>
          </Section>
          <Section title={titled("Slowest operations")}>
            <SlowestList
              slowest={cell.slowest}
              onJump={({ trial_id, end_ns, participant_id }) =>
                onJump({ trialId: trial_id, ns: end_ns }, participant_id)
              }
            />
          </Section>
        </div>
      ) : null}
      <Section title={titled("Figures")}>
        {cell.directions.length > 0 ? <MixedTable cell={cell} trial={trial} unit={unit} /> : null}
        <Figures
          operation={operation}
          random={random}
          cell={cell}
          trial={trial}
          unit={unit}
          reader={reader}
          nameOf={nameOf}
        />
      </Section>
    </>
  );
}

const NO_STREAM =
  "Not answered for random access: lines and cameras deliver data in order, so neither a carried rate nor a buffer follows from it.";

const carryHint = (operation: Operation): string =>
  operation === "read" ? CARRY_HINTS.read : CARRY_HINTS.write;

const CARRY_HINTS = {
  write:
    "Whether the storage keeps up with a constant rate, and the memory that bridges its stalls: the largest backlog of a queue fed at that rate. Peak × rate misses stalls that follow each other.",
  read: "Whether playout at a constant rate is kept supplied, and the data that must be read ahead to bridge the stalls. Peak × rate misses stalls that follow each other.",
};

const FRAME_HINTS = {
  write:
    "Frames that a camera with this frame rate and this much memory would have dropped, because they arrived while all of it was in use. Calculated from the recorded calls: with the page cache, they return before the device has the data.",
  read: "Frames that a player with this frame rate and this many frames read ahead would have dropped, because they were not complete when they were due. Calculated from the recorded calls: data in a cache is read faster than data on the device.",
};

const EVENLY =
  "The load is spread evenly, so the slowest participant decides; the aggregate margin holds if each takes what it can. Only the time in which all ran is judged.";
