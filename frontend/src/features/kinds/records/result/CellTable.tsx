import {
  count,
  figure,
  formatBlock,
  formatRate,
  type RateUnit,
  rateOrLevels,
  wordsText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import {
  HEADS,
  type Records,
  type RecordsCell,
  recordRateWords,
} from "@/features/kinds/records/records";

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
          <th scope="col">{HEADS.window}</th>
          {isJson && hasFile ? <th scope="col">Written as JSON</th> : null}
          {hasFile ? <th scope="col">{HEADS.durable}</th> : null}
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
              <RowButton
                title="Show this record length"
                selected={cell.record_bytes === selected}
                onSelect={onSelect && (() => onSelect(cell.record_bytes))}
              >
                {formatBlock(cell.record_bytes)}
              </RowButton>
            </th>
            <td>{recordRateWords(cell.records_per_s?.mean, cell.levels, cell.record_bytes)}</td>
            <td>{rateOrLevels(cell.bytes_per_s?.mean, cell.levels, unit)}</td>
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
            <td>{wordsText(cell.repeats, unit)}</td>
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
