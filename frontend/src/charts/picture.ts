import Plotly, { type Layout, type Trace } from "plotly.js-basic-dist-min";
import type { ChartPalette } from "./figure";
import { saveBlob } from "./saveFile";
import { rasterised, withFonts } from "./svg";

export interface Picture {
  traces: Trace[];
  /** As shown, including the zoom. */
  layout: Layout;
  title: string;
  width: number;
  height: number;
  palette: ChartPalette;
}

const TITLE_ROOM = 36;

/** Saves a chart with its title and its fonts in it. */
export async function savePicture(
  picture: Picture,
  format: "png" | "svg",
  filename: string,
): Promise<void> {
  const height = picture.height + TITLE_ROOM;
  const svg = await withFonts(await drawing(picture, height));
  const blob =
    format === "svg"
      ? new Blob([svg], { type: "image/svg+xml" })
      : await rasterised(svg, picture.width, height);
  saveBlob(blob, `${filename}.${format}`);
}

async function drawing({ traces, layout, title, width, palette }: Picture, height: number) {
  const titled = {
    ...layout,
    height,
    margin: { ...(layout.margin as Layout), t: TITLE_ROOM },
    title: {
      text: title,
      x: 0,
      xref: "container",
      xanchor: "left",
      y: 1,
      yanchor: "top",
      pad: { t: 10, l: 8 },
      font: { family: palette.fontText, size: 15, weight: 600, color: palette.ink },
    },
  };
  const uri = await Plotly.toImage(
    { data: traces, layout: titled },
    { format: "svg", width, height },
  );
  return decodeURIComponent(uri.slice(uri.indexOf(",") + 1));
}
