import Plotly, { type Layout, type Trace } from "plotly.js-basic-dist-min";
import { withFonts } from "./embedFonts";
import type { ChartPalette } from "./palette";
import { saveBlob } from "./saveFile";

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
/** Pixels of a PNG per CSS pixel: sharp on paper and on dense screens. */
const DENSITY = 2;

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

async function rasterised(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image(width, height);
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * DENSITY;
    canvas.height = height * DENSITY;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("The browser provided no canvas.");
    context.scale(DENSITY, DENSITY);
    context.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("The image is too large to save."))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
