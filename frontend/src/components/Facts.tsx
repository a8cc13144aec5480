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
