import type { ReactNode } from "react";

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
