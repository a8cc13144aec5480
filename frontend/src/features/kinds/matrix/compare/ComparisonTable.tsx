import { Button } from "@mantine/core";
import { DataTableView } from "@/charts/DataTableView";
import { toCsv } from "@/charts/dataTable";
import { saveText } from "@/charts/saveFile";
import { Section } from "@/components/page/Section";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import { comparedCells } from "./comparedCells";

/** The comparison as a table that can be copied and downloaded. */
export function ComparisonTable({
  comparison,
  reading,
}: {
  comparison: MatrixComparison;
  reading: Reading;
}) {
  const table = comparedCells(comparison, reading);
  const filename = `compare-${comparison.runs.map((run) => run.id).join("-")}.csv`;
  return (
    <Section
      title="Table"
      action={
        <Button
          variant="default"
          size="xs"
          onClick={() => saveText(toCsv(table), filename, "text/csv")}
        >
          CSV
        </Button>
      }
    >
      <DataTableView table={table} caption={`${reading.stat} ${reading.rate} rates of each cell`} />
    </Section>
  );
}
