import { Button } from "@mantine/core";
import { upperFirst } from "@mantine/hooks";
import { DataTableView } from "@/charts/DataTableView";
import { toCsv } from "@/charts/dataTable";
import { saveText } from "@/charts/saveFile";
import { Section } from "@/components/page/Section";
import { figure } from "@/components/quantities";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import { comparedCells } from "./comparedCells";
import classes from "./MatrixComparison.module.css";

/** The first columns, block size and threads, are no measured values. */
const KEYS = 2;

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
      hint={`${upperFirst(reading.stat)} ${reading.rate} rate of each cell.`}
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
      <div className={classes.table}>
        <DataTableView
          table={table}
          caption={`${reading.stat} ${reading.rate} rates of each cell`}
          text={(value, column) =>
            column >= KEYS && typeof value === "number" ? figure(value) : String(value)
          }
        />
      </div>
    </Section>
  );
}
