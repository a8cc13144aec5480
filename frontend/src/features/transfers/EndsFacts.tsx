import { Facts } from "@/components/Facts";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "./Transfers.module.css";

/** A property with its text at each end: null if unknown, undefined if nothing is known of the end. */
export type EndsFact = [name: string, texts: (string | null | undefined)[]];

interface EndsFactsProps {
  /** The name of the table of differences, for screen readers. */
  caption: string;
  /** The names of the ends. */
  ends: string[];
  facts: EndsFact[];
}

/** Properties of several ends: what all share stands once, then the differences, then the unknown. */
export function EndsFacts({ caption, ends, facts }: EndsFactsProps) {
  const unknown = facts.filter(([, texts]) => texts.every((text) => text == null));
  const shared = facts.filter(([, texts]) => texts[0] != null && new Set(texts).size === 1);
  const differing = facts.filter((fact) => !unknown.includes(fact) && !shared.includes(fact));
  return (
    <>
      <Facts
        facts={shared.map(([name, [text]]): [string, string | null | undefined] => [name, text])}
      />
      {differing.length > 0 ? (
        <FigureTable caption={caption}>
          <thead>
            <tr>
              <th scope="col">{shared.length > 0 ? "Differences" : "Property"}</th>
              {ends.map((end, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two ends may be on one host
                <th key={place} scope="col">
                  {end}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differing.map(([name, texts]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {texts.map((text, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <td key={place}>{text === undefined ? "–" : (text ?? "unknown")}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </FigureTable>
      ) : null}
      {unknown.length > 0 ? (
        <p className={classes.unknown}>Unknown: {unknown.map(([name]) => name).join(", ")}</p>
      ) : null}
    </>
  );
}
