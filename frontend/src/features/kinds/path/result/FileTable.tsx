/** The small files of trials as rows: one for each kind of call. */
import { count, formatLatency, formatShare } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { LEGS, type PathLeg, type PathPair, type PathTrial } from "@/features/kinds/path/path";
import type { EndFigures } from "@/features/transfers/TransferFacts";

/** The small files of each trial: how many a second, and how long the calls on each took. */
export function FileTable({ legs }: { legs: readonly PathLeg[] }) {
  return (
    <FigureTable caption="Small files of each trial">
      <thead>
        <tr>
          <th scope="col">Trial</th>
          <th scope="col">Files</th>
          <th scope="col">Files/s</th>
          <th scope="col">Call</th>
          <th scope="col">Median</th>
          <th scope="col">99th percentile</th>
          <th scope="col">Longest</th>
          <th scope="col">Share of the disk's time</th>
        </tr>
      </thead>
      <tbody>
        {fileRows(legs).map((row) => (
          <tr key={`${row.trial} ${row.call}`}>
            <th scope="row">{row.trial}</th>
            <td>{count(row.files)}</td>
            <td>{row.perSecond === null ? "–" : count(Math.round(row.perSecond))}</td>
            <td>{row.call}</td>
            <td>{latency(row.medianNs)}</td>
            <td>{latency(row.p99Ns)}</td>
            <td>{latency(row.maxNs)}</td>
            <td>{row.share}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

const latency = (ns: FileRow["p99Ns"]): string => (ns === null ? "–" : formatLatency(ns));

interface FileRow {
  trial: string;
  files: number;
  perSecond: number | null;
  call: string;
  medianNs: number | null;
  p99Ns: number | null;
  maxNs: number | null;
  /** Of the time that the end's disk was used, with the final sync. */
  share: string;
}

/** Whether any trial moved small files. */
export const hasFiles = (legs: readonly PathLeg[]): boolean =>
  legs.some(({ trials }) => trials.some(({ files }) => files != null));

export function fileRows(legs: readonly PathLeg[]): FileRow[] {
  return legs.flatMap((leg) =>
    leg.trials.flatMap((trial) => {
      const name = `${LEGS[leg.leg].title}, repeat ${trial.repeat}`;
      const pairs = trial.pairs ?? [];
      return pairs.length > 0
        ? pairs.flatMap((pair) => rowsOf(`${name}, ${pair.source} → ${pair.sink}`, pair))
        : rowsOf(name, trial);
    }),
  );
}

function rowsOf(trial: string, one: PathTrial | PathPair): FileRow[] {
  const { files, files_per_s } = one;
  if (files == null) return [];
  return [
    ...callsOf(one.sender, ["open", "close"], "source"),
    ...callsOf(one.receiver, ["create", "close"], "sink"),
  ].map((call) => ({ trial, files, perSecond: files_per_s ?? null, ...call }));
}

type Call = Omit<FileRow, "trial" | "files" | "perSecond">;

function callsOf(
  end: EndFigures | null,
  [opens, closes]: readonly [string, string],
  place: string,
): Call[] {
  const found = end?.files;
  if (!found) return [];
  const share = formatShare(found.own_share);
  return [
    { call: `${opens} at the ${place}`, ...figuresOf(found.open), share },
    { call: `${closes} at the ${place}`, ...figuresOf(found.close), share },
  ];
}

const figuresOf = ({
  median_ns,
  p99_ns,
  max_ns,
}: {
  median_ns: number | null;
  p99_ns: number | null;
  max_ns: number;
}) => ({ medianNs: median_ns, p99Ns: p99_ns, maxNs: max_ns });
