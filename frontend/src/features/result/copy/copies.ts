/** A result as text, picture and address; the server words and draws it. */
import { withFonts } from "@/charts/embedFonts";
import { rasterised } from "@/charts/rasterised";

async function fetched(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} could not be loaded (${answer.status}). Try again.`);
  return answer.text();
}

export const markdownOf = (runId: number): Promise<string> =>
  fetched(`/api/v1/runs/${runId}/result.md`);

/** The picture of a result with its fonts in it. */
export async function pictureOf(runId: number, format: "png" | "svg"): Promise<Blob> {
  const svg = await withFonts(await fetched(`/api/v1/runs/${runId}/result.svg`));
  if (format === "svg") return new Blob([svg], { type: "image/svg+xml" });
  const { width, height } = sizeOf(svg);
  return rasterised(svg, width, height);
}

/** The size of an SVG in CSS pixels. */
export function sizeOf(svg: string): { width: number; height: number } {
  const found = /<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg);
  if (!found) throw new Error("The picture has no size.");
  return { width: Number(found[1]), height: Number(found[2]) };
}

/** The address of the page as it is shown, in the unit that it is shown in. */
export function linkTo(address: string, unit: string): string {
  const link = new URL(address);
  if (!link.searchParams.has("unit")) link.searchParams.set("unit", unit);
  return link.href;
}
