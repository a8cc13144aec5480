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

interface RowButtonProps {
  /** What a click shows. */
  title?: string;
  selected: boolean;
  /** Select the row; without it, the row cannot be selected. */
  onSelect: (() => void) | undefined;
  className?: string;
  children: ReactNode;
}

/** The name of a row, which selects it. */
export function RowButton({ title, selected, onSelect, className, children }: RowButtonProps) {
  if (!onSelect) return children;
  return (
    <button
      type="button"
      className={className}
      title={title}
      aria-pressed={selected}
      onClick={onSelect}
    >
      {children}
    </button>
  );
}
