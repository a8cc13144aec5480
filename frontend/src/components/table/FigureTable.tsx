import type { ReactNode } from "react";
import classes from "./FigureTable.module.css";

interface FigureTableProps {
  /** The table's name, for screen readers. */
  caption: string;
  /** The table's head and body. */
  children: ReactNode;
}

/** A table of figures, aligned at the right, that scrolls by itself where it is too wide. */
export function FigureTable({ caption, children }: FigureTableProps) {
  return (
    <div className={`sideways ${classes.scroll}`}>
      <table className={classes.table}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  );
}
