import type { Comparison } from "@/api/shapes";
import classes from "./Differences.module.css";
import { letterOf } from "./letters";

/** What differs between the runs' conditions, so that no ratio is read without them. */
export function Differences({ comparison }: { comparison: Comparison }) {
  if (comparison.differences.length === 0) {
    return <p>Nothing that Assay recorded differs between these runs.</p>;
  }
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <caption className="visually-hidden">What differs between the runs</caption>
        <thead>
          <tr>
            <td />
            {comparison.runs.map((run, index) => (
              <th key={run.id} scope="col">
                {letterOf(index)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {comparison.differences.map(({ what, values }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              {comparison.runs.map((run, index) => (
                <td key={run.id}>{textOf(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
