import type { Comparison } from "@/api/shapes";
import { formatBlock } from "@/components/quantities";
import { spanText } from "@/features/parameters/parse";
import classes from "./Differences.module.css";
import { letterOf } from "./letters";

/** What differs between the runs' conditions, so that no ratio is read without them. */
export function Differences({ comparison }: { comparison: Comparison }) {
  if (comparison.differences.length === 0) {
    return <p>No recorded differences between these runs.</p>;
  }
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <caption className="visually-hidden">Configuration differences</caption>
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
          {comparison.differences.map(({ what, name, values }) => (
            <tr key={name}>
              <th scope="row">{what}</th>
              {comparison.runs.map((run, index) => (
                <td key={run.id}>{textOf(name, values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A condition's value in the words that the launch form uses for it. */
export function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    if (name === "block") return formatBlock(value);
    if (name.endsWith("_ms")) return spanText(value);
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
