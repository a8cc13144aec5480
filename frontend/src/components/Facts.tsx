import { Fragment } from "react";
import classes from "./Facts.module.css";

/** Names and values in two columns; an unknown value is a dash. */
export function Facts({ facts }: { facts: [name: string, value: React.ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text such as mount options, which breaks after its commas rather than within a value. */
export function AtCommas({ text }: { text: string }) {
  return text.split(/(?<=,)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part's place identifies it
    <Fragment key={index}>
      {index > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
