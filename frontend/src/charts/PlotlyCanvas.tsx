import Plotly, { type Layout, type Trace } from "plotly.js-cartesian-dist-min";
import { useEffect, useRef } from "react";

/** Saves the picture as it is seen, zoom included. */
export type SavePicture = (format: "png" | "svg", filename: string) => Promise<void>;

interface PlotlyCanvasProps {
  traces: Trace[];
  layout: Layout;
  /** Hands out the means to save the picture, once it is drawn. */
  onReady: (save: SavePicture) => void;
}

const REDRAW_MS = 500;
const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  doubleClick: "reset",
  scrollZoom: false,
};

/** The only place that touches plotly. Redraws at most twice a second and cleans up behind itself. */
export default function PlotlyCanvas({ traces, layout, onReady }: PlotlyCanvasProps) {
  const element = useRef<HTMLDivElement>(null);
  const lastDraw = useRef(0);

  useEffect(() => {
    const wait = Math.max(0, lastDraw.current + REDRAW_MS - Date.now());
    const timer = setTimeout(() => {
      if (!element.current) return;
      lastDraw.current = Date.now();
      Plotly.react(element.current, traces, layout, CONFIG);
    }, wait);
    return () => clearTimeout(timer);
  }, [traces, layout]);

  useEffect(() => {
    const drawn = element.current;
    if (!drawn) return;
    const observer = new ResizeObserver(() => {
      if (lastDraw.current > 0) Plotly.Plots.resize(drawn);
    });
    observer.observe(drawn);
    onReady(async (format, filename) => {
      const { width, height } = drawn.getBoundingClientRect();
      const scale = format === "png" ? 2 : 1;
      await Plotly.downloadImage(drawn, { format, filename, width, height, scale });
    });
    return () => {
      observer.disconnect();
      Plotly.purge(drawn);
    };
  }, [onReady]);

  return <div ref={element} style={{ height: layout.height as number }} />;
}
