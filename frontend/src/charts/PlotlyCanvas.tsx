import Plotly, { type Layout, type PlotlyElement, type Trace } from "plotly.js-basic-dist-min";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { Cursor, type CursorPlace, cursorAt } from "./Cursor";
import type { ChartPalette, Figure, Span } from "./figure";
import type { Picture } from "./picture";
import { aroundMark, withFittingNames } from "./strips";

/** Return the plot as shown, including its zoom; null before it is drawn. */
export type TakePicture = () => Omit<Picture, "title"> | null;

/** Zoom to a mark; if it is shown already, zoom back out. */
export type Jump = (at: number) => void;

interface PlotlyCanvasProps {
  figure: Figure;
  palette: ChartPalette;
  /** Called with functions that export the plot and zoom to a mark. */
  onReady: (take: TakePicture, jump: Jump) => void;
  /** Called with the zoomed time range; null for the whole range. */
  onZoom?: (to: Span | null) => void;
  /** The range to begin with. */
  zoomed?: Span | null;
}

/** Plotly keeps the current axes, including the zoom, on the element that it draws in. */
type Drawn = HTMLDivElement & {
  data?: Trace[];
  layout?: Layout & { xaxis?: { range?: [number, number] } };
};

const REDRAW_MS = 500;
const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  doubleClick: "reset",
  scrollZoom: false,
};

/** The only component that uses plotly. It redraws at most twice a second. */
export default function PlotlyCanvas(props: PlotlyCanvasProps) {
  const { figure, palette, onReady, onZoom } = props;
  const element = useRef<Drawn>(null);
  const lastDraw = useRef(0);
  const [listening, setListening] = useState<PlotlyElement | null>(null);
  const [cursor, setCursor] = useState<CursorPlace | null>(null);

  // A jump is part of the layout: plotly keeps only what its own controls changed.
  const revision = figure.layout.uirevision;
  const first = props.zoomed ? within(props.zoomed, figure.span) : null;
  const [jumped, setJumped] = useState(first && { range: first, revision });
  const range = jumped && jumped.revision === revision ? jumped.range : null;
  const [width, setWidth] = useState(0);

  useEffect(() => {
    const wait = Math.max(0, lastDraw.current + REDRAW_MS - Date.now());
    const timer = setTimeout(() => {
      if (!element.current) return;
      lastDraw.current = Date.now();
      const { layout: now } = element.current;
      const kept = now?.uirevision === revision ? now?.xaxis?.range : undefined;
      const inner = width - figure.plot.left - figure.plot.right;
      const named = withFittingNames(figure.layout, inner, range ?? kept ?? figure.span);
      const layout = range ? zoomed(named, range) : named;
      Plotly.react(element.current, figure.traces, layout, CONFIG).then(setListening);
    }, wait);
    return () => clearTimeout(timer);
  }, [figure, range, revision, width]);

  const { span } = figure;
  useEffect(() => {
    const take: TakePicture = () => {
      const { data: traces, layout } = element.current ?? {};
      if (!element.current || !traces || !layout) return null;
      const { clientWidth: width } = element.current;
      return { traces, layout, width, height: figure.height, palette };
    };
    const jump: Jump = (at) => {
      const shown = element.current?.layout?.xaxis?.range;
      if (!element.current || !shown) return;
      const [from, to] = aroundMark(at, span);
      const there = shown[0] === from && shown[1] === to;
      setJumped(there ? null : { range: [from, to], revision });
      onZoom?.(there ? null : [from, to]);
    };
    onReady(take, jump);
  }, [onReady, onZoom, palette, figure.height, span, revision]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what it begins with is reported once
  useEffect(() => {
    if (first) onZoom?.(first);
  }, []);

  useEffect(() => {
    if (!listening || !onZoom) return;
    const tell = () => {
      const shown = element.current?.layout?.xaxis?.range ?? span;
      const whole = shown[0] === span[0] && shown[1] === span[1];
      if (whole) setJumped(null);
      onZoom(whole ? null : [...shown]);
    };
    listening.on("plotly_relayout", tell);
    return () => listening.removeListener("plotly_relayout", tell);
  }, [listening, onZoom, span]);

  // Cleaned up last: the other effects still need what purge removes.
  useEffect(() => {
    const drawn = element.current;
    if (!drawn) return;
    const observer = new ResizeObserver(() => {
      setWidth(drawn.clientWidth);
      if (lastDraw.current > 0) Plotly.Plots.resize(drawn);
    });
    observer.observe(drawn);
    return () => {
      observer.disconnect();
      Plotly.purge(drawn);
    };
  }, []);

  const point = (event: PointerEvent<HTMLDivElement>) => {
    const range = element.current?.layout?.xaxis?.range;
    const box = event.currentTarget.getBoundingClientRect();
    const pixels = event.clientX - box.left;
    setCursor(range ? cursorAt(pixels, figure.plot, box.width, range) : null);
  };

  return (
    <div
      style={{ position: "relative", height: figure.height }}
      onPointerMove={point}
      onPointerLeave={() => setCursor(null)}
    >
      <div ref={element} style={{ height: figure.height }} />
      {cursor ? <Cursor plot={figure.plot} palette={palette} place={cursor} /> : null}
    </div>
  );
}

/** The part of a range that is in the figure; null if none is. */
function within([from, to]: Span, [begin, end]: Figure["span"]): Span | null {
  const part: Span = [Math.max(from, begin), Math.min(to, end)];
  return part[0] < part[1] ? part : null;
}

const zoomed = (layout: Layout, range: Span): Layout => ({
  ...layout,
  xaxis: { ...(layout.xaxis as Layout), range: [...range] },
});
