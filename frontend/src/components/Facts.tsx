import classes from "./Facts.module.css";

/** Names and values in two columns; a value that is not known is shown as a dash. */
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
