import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import {
  counted,
  figure,
  formatBytes,
  formatDuration,
  formatIops,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "@/features/kinds/sustained/Sustained.module.css";
import {
  directionName,
  type FrameLosses,
  type Operation,
  type SlowOperation,
  type SustainedCell,
  type SustainedTrial,
} from "@/features/kinds/sustained/sustained";
import { CarryTable } from "./CarryTable";
import { Figures } from "./Figures";
import { LatencyCurve } from "./LatencyCurve";
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

interface MixedTableProps {
  cell: SustainedCell;
  trial: SustainedTrial;
  unit: RateUnit;
}

/** The reads and the writes of a mixed cell, and what its shown trial moved in each direction. */
function MixedTable({ cell, trial, unit }: MixedTableProps) {
  return (
    <FigureTable caption="Reads and writes of the cell">
      <thead>
        <tr>
          <th scope="col">Direction</th>
          <th scope="col">IOPS</th>
          <th scope="col">Application</th>
          <th scope="col">Durable</th>
          <th scope="col">p50</th>
          <th scope="col">p99</th>
          <th scope="col">p99.9</th>
          <th scope="col">Peak</th>
          <th scope="col">Data of the trial</th>
        </tr>
      </thead>
      <tbody>
        {cell.directions.map((one) => (
          <tr key={one.operation}>
            <th scope="row">{directionName(one.operation)}</th>
            <td>{shown(one.iops?.mean, formatIops)}</td>
            <td>{shown(one.application?.mean, (rate) => formatRate(rate, unit))}</td>
            <td>{shown(one.durable?.mean, (rate) => formatRate(rate, unit))}</td>
            {[0.5, 0.99, 0.999].map((share) => (
              <td key={share}>
                {shown(one.latency.find((point) => point.share === share)?.ns, formatLatency)}
              </td>
            ))}
            <td>{shown(one.peak_ns, formatLatency)}</td>
            <td>
              {shown(
                trial.directions.find(({ operation }) => operation === one.operation)?.bytes,
                formatBytes,
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

const shown = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? "–" : format(value);

interface FrameTableProps {
  operation: Operation;
  cell: Pick<SustainedCell, "rate_bytes_per_s" | "streams">;
  frames: FrameLosses;
  /** Whether gaps delayed some of the frames. */
  gaps: boolean;
}

/** The frames that a camera or a player would have dropped, by its memory. */
function FrameTable({ operation, cell, frames, gaps }: FrameTableProps) {
  const rows = shownLosses(frames);
  return (
    <>
      <p>
        {answerWords(frames, cell.streams)} {rhythmWords(cell, frames)}
        {gaps ? " Frames that a gap delayed are counted." : null}
      </p>
      {rows.length > 1 ? (
        <FigureTable caption="Dropped frames">
          <thead>
            <tr>
              <th scope="col">{operation === "read" ? "Frames read ahead" : "Frames buffered"}</th>
              <th scope="col">Memory</th>
              <th scope="col">Dropped</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ buffered, dropped }) => (
              <tr key={buffered}>
                <th scope="row">{buffered}</th>
                <td>{formatBytes(buffered * frames.bytes * cell.streams)}</td>
                <td>{dropped}</td>
                <td>{shareText(dropped, frames.count)}</td>
              </tr>
            ))}
          </tbody>
        </FigureTable>
      ) : null}
    </>
  );
}

/** The memories that lose frames, and the first that does not. */
export function shownLosses({ losses }: FrameLosses): FrameLosses["losses"] {
  const enough = losses.findIndex(({ dropped }) => dropped === 0);
  return enough < 0 ? losses : losses.slice(0, enough + 1);
}

/** "None of 1,440 frames would have been lost with 13 frames (461 MB) of memory." */
export function answerWords(frames: FrameLosses, streams: number): string {
  const { bytes, count, needed, growing } = frames;
  if (growing) {
    return `The storage fell behind until the end: a longer trial would have needed more than ${counted(needed, "frame")} of memory.`;
  }
  const memory = `${counted(needed, "frame")} (${formatBytes(needed * bytes)}) of memory`;
  const each = streams > 1 ? " in each stream" : "";
  return `None of ${counted(count, "frame")} would have been lost with ${memory}${each}.`;
}

/** "A frame has 35.4 MB, and 24 arrive per second." */
function rhythmWords({ rate_bytes_per_s: rate }: FrameTableProps["cell"], { bytes }: FrameLosses) {
  const size = `A frame has ${formatBytes(bytes)}`;
  return rate === null ? `${size}.` : `${size}; ${figure(rate / bytes)} are due per second.`;
}

const shareText = (part: number, whole: number): string =>
  part === 0 ? "–" : `${figure((100 * part) / whole)}\u00a0%`;

/** The slowest operations; each jumps to its place in the chart. */
function SlowestList({
  slowest,
  onJump,
}: {
  slowest: readonly SlowOperation[];
  onJump: (operation: SlowOperation) => void;
}) {
  const streams = new Set(slowest.map(({ stream }) => stream)).size;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <ol className={classes.slowest} aria-label="Slowest operations" tabIndex={0}>
      {slowest.map((operation) => (
        <li
          key={`${operation.trial_id} ${operation.participant_id} ${operation.stream} ${operation.offset} ${operation.end_ns}`}
        >
          <button type="button" onClick={() => onJump(operation)}>
            {formatLatency(operation.ns)} after {formatDuration(operation.end_ns / 1e9)} at{" "}
            {formatBytes(operation.offset)}
            {streams > 1 ? ` of stream ${operation.stream + 1}` : null}
          </button>
        </li>
      ))}
    </ol>
  );
}
