import { Button } from "@mantine/core";
import { useDisclosure, useId } from "@mantine/hooks";
import classes from "./Overview.module.css";

interface FoldedRowsProps {
  /** List items, each with a key. */
  rows: readonly React.ReactNode[];
  /** How many show at first. */
  most: number;
  /** What the rows are: "issues". */
  what: string;
}

/** A list of which only the first rows show until the others are asked for. */
export function FoldedRows({ rows, most, what }: FoldedRowsProps) {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure(false);
  // a single hidden row would need no more space than the button
  const canFold = rows.length > most + 1;
  return (
    <>
      <ul className={classes.rows} id={id}>
        {canFold && !isOpen ? rows.slice(0, most) : rows}
      </ul>
      {canFold ? (
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.more}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {isOpen ? `Show fewer ${what}` : `Show ${rows.length - most} more ${what}`}
        </Button>
      ) : null}
    </>
  );
}
