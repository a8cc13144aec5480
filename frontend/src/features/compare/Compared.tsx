import type { Comparison, Test } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import type { TestKind } from "@/features/kinds/kind";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import { conditionSize, ofTargets } from "@/features/result/conditionRows";
import { SamplesRemoved } from "@/features/runs/SamplesRemoved";
import classes from "./Compare.module.css";
import { letterOf } from "./ComparisonParts";

/** How runs differ in their configuration and in what they reached; the first is the base. */
export function Compared({ comparison }: { comparison: Comparison }) {
  const [first] = comparison.runs;
  const isOneKind = comparison.runs.every(({ kind }) => kind === first?.kind);
  // runs of different kinds compare where the server has an outcome for them
  const kind =
    first && isOneKind ? kindOf(first) : comparison.outcome && kindOf(comparison.outcome);
  return (
    <>
      {comparison.runs.map((run) => (
        <SamplesRemoved key={run.id} run={run} named />
      ))}
      <Section title="Configuration differences">
        <Differences comparison={comparison} />
      </Section>
      {kind ? (
        <kind.Comparison comparison={comparison} />
      ) : (
        <Section title="Answer">
          <p>The runs are of different test kinds, so their results do not compare.</p>
        </Section>
      )}
    </>
  );
}

/** The differences between the runs' conditions. */
function Differences({ comparison }: { comparison: Comparison }) {
  if (comparison.differences.length === 0) {
    return <p>No recorded differences between these runs.</p>;
  }
  return (
    <div className="sideways">
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
                <td key={run.id}>{textOf(kindOf(run), name, ofTargets(run, values[index]))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A condition's value, as a result shows it; a parameter's as the launch form does. */
export function textOf(kind: TestKind, name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  const size = conditionSize(name, value);
  if (size !== null) return size;
  const parameter = parametersOf(kind).find((each) => each.name === name);
  if (parameter) return valueText({ [name]: value } as unknown as Test, parameter);
  if (Array.isArray(value)) return value.map((each) => textOf(kind, name, each)).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .filter(([, part]) => part !== "" && part !== null)
    .map(([part, text]) => `${part}: ${text}`)
    .join("; ");
}
