import {
  formatBytes,
  formatIops,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import type { SustainedCell, SustainedTrial } from "@/features/kinds/sustained/shapes";
import { directionName } from "@/features/kinds/sustained/words";

interface MixedTableProps {
  cell: SustainedCell;
  trial: SustainedTrial;
  unit: RateUnit;
}

/** The reads and the writes of a mixed cell, and what its shown trial moved in each direction. */
export function MixedTable({ cell, trial, unit }: MixedTableProps) {
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
