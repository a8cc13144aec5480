import {
  count,
  figure,
  formatBlock,
  formatRate,
  formatShare,
  type RateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { formatRecordRate } from "@/features/kinds/records/headline";
import type { Records, RecordsCell } from "@/features/kinds/records/shapes";

interface CellTableProps {
  records: Records;
  unit: RateUnit;
  selected?: number | undefined;
  /** Select a record length; without it, nothing can be selected. */
  onSelect?: (recordBytes: number) => void;
}

/** The rates of each record length. */
export function CellTable({ records, unit, selected, onSelect }: CellTableProps) {
  const hasFile = records.sink === "disk";
  const isJson = records.format === "json";
  return (
    <FigureTable caption="Record lengths">
      <thead>
        <tr>
          <th scope="col">Record</th>
          <th scope="col">Records</th>
          <th scope="col">Payload</th>
          {isJson && hasFile ? <th scope="col">Written as JSON</th> : null}
          {hasFile ? <th scope="col">Durable payload</th> : null}
          <th scope="col">CPU per record</th>
          {records.senders > 1 ? <th scope="col">Fairness</th> : null}
          <th scope="col">Lost</th>
          <th scope="col">Repeats</th>
        </tr>
      </thead>
      <tbody>
        {records.cells.map((cell) => (
          <tr key={cell.record_bytes}>
            <th scope="row">
              {onSelect ? (
                <button
                  type="button"
                  title="Show this record length"
                  aria-pressed={cell.record_bytes === selected}
                  onClick={() => onSelect(cell.record_bytes)}
                >
                  {formatBlock(cell.record_bytes)}
                </button>
              ) : (
                formatBlock(cell.record_bytes)
              )}
            </th>
            <td>{cell.records_per_s ? formatRecordRate(cell.records_per_s.mean) : "–"}</td>
            <td>{cell.bytes_per_s ? formatRate(cell.bytes_per_s.mean, unit) : "–"}</td>
            {isJson && hasFile ? <td>{storedWords(cell, unit)}</td> : null}
            {hasFile ? (
              <td>
                {cell.durable_bytes_per_s ? formatRate(cell.durable_bytes_per_s.mean, unit) : "–"}
              </td>
            ) : null}
            <td>
              {cell.receiver_ns_per_record === null
                ? "–"
                : `${figure(cell.receiver_ns_per_record)}\u00a0ns`}
            </td>
            {records.senders > 1 ? (
              <td>{cell.fairness === null ? "–" : cell.fairness.toFixed(3)}</td>
            ) : null}
            <td>{cell.lost === null ? "–" : count(cell.lost)}</td>
            <td>{repeatsWords(cell)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

/** "812 MB/s, × 1.42" */
function storedWords({ stored_bytes_per_s, expansion }: RecordsCell, unit: RateUnit): string {
  if (!stored_bytes_per_s) return "–";
  const times = expansion === null ? "" : `, × ${figure(expansion)}`;
  return `${formatRate(stored_bytes_per_s.mean, unit)}${times}`;
}

/** "3, CV 1.20 %", "1 of 3" */
function repeatsWords({ repeats_done, repeats_total, records_per_s }: RecordsCell): string {
  if (repeats_done < repeats_total) return `${repeats_done} of ${repeats_total}`;
  const cv = records_per_s?.cv;
  return cv == null ? String(repeats_done) : `${repeats_done}, CV ${formatShare(cv)}`;
}
