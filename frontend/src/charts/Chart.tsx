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
import { copyText } from "@/components/CopyText";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import classes from "./Chart.module.css";
import { type DataTable, toClipboard, toCsv } from "./dataTable";
import { type Figure, type Span, useChartPalette } from "./figure";
import type { Jump, TakePicture } from "./PlotlyCanvas";
import { saveText } from "./saveFile";

/** Load the code that draws charts: a large separate chunk, which takes long to run. */
const loadCanvas = () => import("./PlotlyCanvas");

/** Call `act` once what the page shows by now is painted; returns what cancels that. */
function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** How long the button shows that it copied, in milliseconds. */
const COPIED_MS = 2000;

/** The height of an event above the chart that fits one line, in pixels. */
const EVENT_HEIGHT = 21;

const PlotlyCanvas = lazy(loadCanvas);
const DataTableView = lazy(async () => ({
  default: (await import("./DataTableView")).DataTableView,
}));

interface ChartProps {
  /** What the chart shows; the strips name their units. */
  title: string;
  /** The subject, for the title of a saved image; on the page the context shows it. */
  about?: string;
  /** The text alternative, with the key figures. */
  description: string;
  figure: Figure | null;
  /** Why the chart is empty, when `figure` is null. */
  empty: string;
  /** In pixels; reserved while the chart loads, so that the layout does not shift. */
  height: number;
  /** How many events the figure will have, for which room is kept while the data loads. */
  events?: number;
  table: () => DataTable;
  /** The name of downloaded files, without extension. */
  filename: string;
  /** Called with the zoomed time range, so that finer data can be loaded; null for the whole range. */
  onZoom?: (to: Span | null) => void;
  /** The range to begin with, in the axis's unit; by default the whole range. */
  zoomed?: Span | null;
  /** Zoom to this place whenever `request` changes. */
  focus?: { at: number; request: number } | null;
  /** Content between the title and the plot, such as a legend. */
  children?: ReactNode;
}

/** The frame of a chart: title, plot, data table and downloads. */
export function Chart(props: ChartProps) {
  const { title, about, description, figure, empty, height, events = 0 } = props;
  const { table, filename, children } = props;
  const id = useId();
  const take = useRef<TakePicture | null>(null);
  const jump = useRef<Jump | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [asTable, setAsTable] = useState(false);
  const [copied, setCopied] = useState(false);
  const [painted, setPainted] = useState(false);
  useEffect(
    () =>
      // The text around the chart does not wait for the chart library, but the library for no data.
      // If it does not load, the chart reports it.
      afterPaint(() => {
        setPainted(true);
        loadCanvas().catch(() => undefined);
      }),
    [],
  );
  const palette = useChartPalette();
  const ready = useCallback((taker: TakePicture, jumper: Jump) => {
    take.current = taker;
    jump.current = jumper;
    setDrawn(true);
  }, []);
  const { focus } = props;
  useEffect(() => {
    if (drawn && focus) jump.current?.(focus.at);
  }, [drawn, focus]);
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
      {figure === null && events > 0 ? (
        <div className={classes.marks} style={{ height: events * EVENT_HEIGHT }} />
      ) : null}
      {figure && figure.marks.length > 0 ? (
        <ul className={classes.marks} aria-label="Events">
          {figure.marks.map(({ at, sentence }) => (
            <li key={`${at} ${sentence}`} style={{ minHeight: EVENT_HEIGHT }}>
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
              {painted ? (
                <div role="img" aria-label={description}>
                  <PlotlyCanvas
                    figure={figure}
                    palette={palette}
                    onReady={ready}
                    onZoom={props.onZoom}
                    zoomed={props.zoomed}
                  />
                </div>
              ) : null}
            </Suspense>
          </PanelBoundary>
        ) : (
          <p className={classes.empty}>{empty}</p>
        )}
      </div>
      {figure && asTable ? (
        <Suspense>
          <DataTableView table={table()} caption={title} />
        </Suspense>
      ) : null}
    </figure>
  );
}

const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);
