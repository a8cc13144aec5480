import { figure, formatBytes } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import type { FrameLosses, Operation, SustainedCell } from "@/features/kinds/sustained/shapes";

interface FrameTableProps {
  operation: Operation;
  cell: Pick<SustainedCell, "rate_bytes_per_s" | "streams">;
  frames: FrameLosses;
  /** Whether gaps delayed some of the frames. */
  gaps: boolean;
}

/** The frames that a camera or a player would have dropped, by its memory. */
export function FrameTable({ operation, cell, frames, gaps }: FrameTableProps) {
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
    return `The storage fell behind until the end: a longer trial would have needed more than ${counted(needed)} of memory.`;
  }
  const memory = `${counted(needed)} (${formatBytes(needed * bytes)}) of memory`;
  const each = streams > 1 ? " in each stream" : "";
  return `None of ${counted(count)} would have been lost with ${memory}${each}.`;
}

/** "A frame has 35.4 MB, and 24 arrive per second." */
function rhythmWords({ rate_bytes_per_s: rate }: FrameTableProps["cell"], { bytes }: FrameLosses) {
  const size = `A frame has ${formatBytes(bytes)}`;
  return rate === null ? `${size}.` : `${size}; ${figure(rate / bytes)} are due per second.`;
}

const counted = (frames: number): string =>
  `${frames.toLocaleString("en-US")} ${frames === 1 ? "frame" : "frames"}`;

const shareText = (part: number, whole: number): string =>
  part === 0 ? "–" : `${figure((100 * part) / whole)}\u00a0%`;
