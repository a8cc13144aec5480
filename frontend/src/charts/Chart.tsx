import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { copyText } from "@/components/copyText";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import classes from "./Chart.module.css";
import { loadCanvas } from "./canvas";
import { DataTableView } from "./DataTableView";
import { type DataTable, toClipboard, toCsv } from "./dataTable";
import type { Jump, TakePicture } from "./PlotlyCanvas";
import { useChartPalette } from "./palette";
import { saveText } from "./saveFile";
import type { Figure, Span } from "./strips";

/** How long the button says that it copied, in milliseconds. */
const COPIED_MS = 2000;

const PlotlyCanvas = lazy(loadCanvas);

interface ChartProps {
  /** What the chart shows; its units stand at the strips. */
  title: string;
  /** What it is a chart of, where the page around it says so; a saved picture says it itself. */
  about?: string;
  /** The same in a sentence, with the figures that matter, for those who do not see the picture. */
  description: string;
  figure: Figure | null;
  /** Why there is nothing to see, when `figure` is null. */
  empty: string;
  /** In pixels; kept free while the chart loads, so that nothing moves. */
  height: number;
  table: () => DataTable;
  /** Name of a downloaded file, without its ending. */
  filename: string;
  /** Told the part of the time that is zoomed into, for whoever has finer data of it; null for the whole. */
  onZoom?: (to: Span | null) => void;
  /** Stands between the title and the picture: a legend, a choice. */
  children?: ReactNode;
}

/** A chart's frame: title, picture, its data as a table, and what can be taken away. */
export function Chart(props: ChartProps) {
  const { title, about, description, figure, empty, height, table, filename, children } = props;
  const id = useId();
  const take = useRef<TakePicture | null>(null);
  const jump = useRef<Jump | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [asTable, setAsTable] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    // What draws comes while the data is on its way; if it fails, the chart itself says so.
    loadCanvas().catch(() => undefined);
  }, []);
  const palette = useChartPalette();
  const ready = useCallback((taker: TakePicture, jumper: Jump) => {
    take.current = taker;
    jump.current = jumper;
    setDrawn(true);
  }, []);
  const save = async (format: "png" | "svg") => {
    const picture = take.current?.();
    if (!picture) return;
    try {
      const { savePicture } = await import("./picture");
      await savePicture(
        { ...picture, title: about ? `${about}: ${lowered(title)}` : title },
        format,
        filename,
      );
      setProblem(null);
    } catch (error) {
      setProblem(`Saving the image failed: ${error instanceof Error ? error.message : error}`);
    }
  };
  const copy = async () => {
    const done = await copyText(toClipboard(table()));
    setCopied(done);
    setProblem(
      done ? null : "The browser blocked access to the clipboard. Download the CSV instead.",
    );
    if (done) setTimeout(() => setCopied(false), COPIED_MS);
  };

  return (
    <figure className={classes.chart} aria-labelledby={id}>
      <figcaption className={classes.caption}>
        <h3 id={id}>{title}</h3>
        {figure ? (
          <div className={classes.tools}>
            <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              Table
            </button>
            <button type="button" onClick={copy}>
              {copied ? "Copied" : "Copy"}
            </button>
            <button type="button" disabled={!drawn} onClick={() => save("png")}>
              PNG
            </button>
            <button type="button" disabled={!drawn} onClick={() => save("svg")}>
              SVG
            </button>
            <button
              type="button"
              onClick={() => saveText(toCsv(table()), `${filename}.csv`, "text/csv")}
            >
              CSV
            </button>
          </div>
        ) : null}
      </figcaption>
      {problem ? <p role="alert">{problem}</p> : null}
      {children}
      {figure && figure.marks.length > 0 ? (
        <ul className={classes.marks} aria-label="Events">
          {figure.marks.map(({ at, sentence }) => (
            <li key={at}>
              <button type="button" disabled={!drawn} onClick={() => jump.current?.(at)}>
                {sentence}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div className={classes.picture} style={{ minHeight: figure ? figure.height : height }}>
        {figure ? (
          <PanelBoundary>
            <Suspense fallback={<p className={classes.wait}>Drawing…</p>}>
              <div role="img" aria-label={description}>
                <PlotlyCanvas
                  figure={figure}
                  palette={palette}
                  onReady={ready}
                  onZoom={props.onZoom}
                />
              </div>
            </Suspense>
          </PanelBoundary>
        ) : (
          <p className={classes.empty}>{empty}</p>
        )}
      </div>
      {figure && asTable ? <DataTableView table={table()} caption={title} /> : null}
    </figure>
  );
}

const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);
