import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import badges from "./BadgeSign.module.css";
import { inkOn } from "./color";
import { type Badge, cellAt, type Grid, type GridCell, moved, type Place, placeOf } from "./grid";
import classes from "./HeatGrid.module.css";

interface HeatGridProps {
  grid: Grid;
  /** What the table shows, with its unit; for screen readers. */
  caption: string;
  /** The key of the selected cell. */
  selected?: string | null;
  onSelect?: (key: string) => void;
  /** Use smaller cells, for small multiples. */
  compact?: boolean;
}

/**
 * A heatmap that is a table: accessible, navigable by arrow keys, printable and copyable. The line
 * below describes the hovered or focused cell.
 */
export function HeatGrid({ grid, caption, selected, onSelect, compact }: HeatGridProps) {
  const table = useRef<HTMLTableElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const more = useMoreToTheRight(scroll);
  const [focus, setFocus] = useState<Place | null>(null);
  const [pointed, setPointed] = useState<Place | null>(null);
  const home = placeOf(grid, (cell) => cell.key === selected) ??
    placeOf(grid, (cell) => cell.best) ?? { row: 0, column: 0 };
  const current = focus && cellAt(grid, focus) ? focus : home;
  const chosen = placeOf(grid, (cell) => cell.key === selected);
  const read = cellAt(grid, pointed ?? focus ?? chosen ?? { row: -1, column: -1 });

  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const cell = cellAt(grid, current);
    if ((event.key === "Enter" || event.key === " ") && cell) {
      event.preventDefault();
      onSelect?.(cell.key);
      return;
    }
    const next = moved(grid, current, event.key, event.ctrlKey || event.metaKey);
    if (!next) return;
    event.preventDefault();
    setFocus(next);
    table.current?.querySelector<HTMLElement>(`[data-place="${next.row}-${next.column}"]`)?.focus();
  };

  return (
    <div className={classes.frame} data-compact={compact || undefined}>
      <div className={classes.sideways}>
        <div ref={scroll} className={classes.scroll}>
          {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table walked by arrow keys is a grid */}
          <table ref={table} role="grid" className={classes.grid} onKeyDown={onKeyDown}>
            <caption className="visually-hidden">{caption}</caption>
            <thead>
              <tr>
                <th rowSpan={2} scope="col" className={classes.corner}>
                  {grid.rowTitle}
                </th>
                <th colSpan={grid.columns.length} scope="colgroup" className={classes.across}>
                  {grid.columnTitle}
                </th>
              </tr>
              <tr>
                {grid.columns.map((column) => (
                  <th key={column.key} scope="col" className={classes.column}>
                    {column.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody onMouseLeave={() => setPointed(null)}>
              {grid.rows.map((row, rowIndex) => (
                <tr key={row.key}>
                  <th scope="row" className={classes.row}>
                    {row.label}
                  </th>
                  {row.cells.map((cell, columnIndex) => {
                    const place = { row: rowIndex, column: columnIndex };
                    const isCurrent = current.row === rowIndex && current.column === columnIndex;
                    return (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the table takes the keys of all its cells
                      <td
                        key={cell.key}
                        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of that grid
                        role="gridcell"
                        data-place={`${rowIndex}-${columnIndex}`}
                        data-state={cell.state}
                        data-best={cell.best || undefined}
                        data-noise={cell.withinNoise || undefined}
                        data-clickable={onSelect ? true : undefined}
                        aria-selected={onSelect ? cell.key === selected : undefined}
                        tabIndex={isCurrent ? 0 : -1}
                        className={classes.cell}
                        style={fillOf(cell)}
                        onMouseEnter={() => setPointed(place)}
                        onFocus={() => setFocus(place)}
                        onBlur={() => setFocus(null)}
                        onClick={() => onSelect?.(cell.key)}
                      >
                        <span className="visually-hidden">{cell.sentence}</span>
                        <CellContent cell={cell} />
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {more ? <span className={classes.more} title="More columns" /> : null}
      </div>
      <p className={classes.readout} aria-hidden="true">
        {read?.sentence ?? "Hover or use arrow keys to read a cell."}
      </p>
    </div>
  );
}

function CellContent({ cell }: { cell: GridCell }) {
  return (
    <span className={classes.content} aria-hidden="true">
      <span className={classes.text}>
        {cell.text}
        {cell.badge ? <BadgeSign badge={cell.badge} /> : null}
      </span>
      {cell.note || cell.best ? <span className={classes.note}>{cell.note ?? "best"}</span> : null}
    </span>
  );
}

function fillOf(cell: GridCell): CSSProperties | undefined {
  if (cell.fill === null) return undefined;
  return { "--fill": cell.fill, "--cell-ink": inkOn(cell.fill) } as CSSProperties;
}

/** A letter in a shape, in the surrounding ink; the reason is its tooltip and part of the cell's sentence. */
export function BadgeSign({ badge }: { badge: Badge }) {
  const reason = badge.reason ? `${badge.word}: ${badge.reason}` : badge.word;
  return (
    <span className={badges.sign} data-shape={badge.shape} title={reason} aria-hidden="true">
      <span>{badge.letter}</span>
    </span>
  );
}

/** Pixels beyond the edge that are only padding. */
const PADDING = 6;

/** Whether a horizontally scrolling element has more content beyond its right edge. */
function useMoreToTheRight(scroll: RefObject<HTMLElement | null>): boolean {
  const [more, setMore] = useState(false);
  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    const look = () => {
      const { scrollWidth, clientWidth, scrollLeft } = element;
      setMore(scrollWidth - clientWidth - scrollLeft > PADDING);
    };
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroll]);
  return more;
}
