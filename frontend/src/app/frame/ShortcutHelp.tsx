import { Modal } from "@mantine/core";
import { Fragment } from "react";
import { PLACES } from "./places";
import classes from "./ShortcutHelp.module.css";

const GENERAL: [keys: string[], what: string][] = [
  [["?"], "Show these shortcuts"],
  [["/"], "Search everything"],
  [["c"], "Launch campaign"],
];

/** A dialog that lists the keyboard shortcuts. */
export function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const rows = [
    ...GENERAL,
    ...PLACES.map(({ key, name }): [string[], string] => [["g", key], `Go to ${name}`]),
  ];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <dl className={classes.list}>
        {rows.map(([keys, what]) => (
          <Fragment key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}
