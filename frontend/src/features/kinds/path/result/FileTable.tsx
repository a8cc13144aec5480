import { count, formatLatency } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import type { PathLeg } from "@/features/kinds/path/shapes";
import { type FileRow, fileRows } from "./fileRows";

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
