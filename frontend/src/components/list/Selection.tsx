import { Checkbox } from "@mantine/core";
import { createContext, type ReactNode, useContext, useState } from "react";
import classes from "./Selection.module.css";

type Selected = { ids: ReadonlySet<number>; toggle: (id: number) => void };

const SelectionContext = createContext<Selected>({ ids: new Set(), toggle: () => {} });

interface SelectionProps {
  /** The ids of the rows that can be selected now; others are no longer selected. */
  among: readonly number[];
  /** What can be done with the selected rows. */
  actions: (ids: number[], clear: () => void) => ReactNode;
  children: ReactNode;
}

/** A list whose rows can be selected for an action on several; the actions are above it. */
export function Selection({ among, actions, children }: SelectionProps) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const ids = among.filter((id) => chosen.has(id));
  const toggle = (id: number) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <SelectionContext value={{ ids: new Set(ids), toggle }}>
      {ids.length > 0 ? (
        <section className={classes.bar} aria-label="Selected rows">
          <span role="status">{ids.length} selected</span>
          {actions(ids, () => setChosen(new Set()))}
        </section>
      ) : null}
      {children}
    </SelectionContext>
  );
}

/** Selects the row with this id; `label` names it. */
export function SelectBox({ id, label }: { id: number; label: string }) {
  const { ids, toggle } = useContext(SelectionContext);
  return (
    <Checkbox aria-label={`Select ${label}`} checked={ids.has(id)} onChange={() => toggle(id)} />
  );
}
