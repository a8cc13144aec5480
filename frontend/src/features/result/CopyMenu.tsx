/** A result as text, picture and address; the server words and draws it. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { saveBlob } from "@/charts/saveFile";
import { rasterised, withFonts } from "@/charts/svg";
import { copyText } from "@/components/CopyText";
import { useRateUnit } from "@/components/quantities";
import classes from "./Result.module.css";

const BLOCKED = "The browser blocked access to the clipboard.";

/** Ways to take a result along; says what happened. */
export function CopyMenu({ runId }: { runId: number }) {
  const { unit } = useRateUnit();
  const [said, setSaid] = useState("");
  const tell = async (act: () => Promise<string>) => {
    try {
      setSaid(await act());
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const name = `run-${runId}`;
  const copyMarkdown = async () => {
    if (await copyText(await markdownOf(runId))) return "Copied as Markdown.";
    return `${BLOCKED} Open the result's Markdown under Downloads.`;
  };
  const copyLink = async () => {
    const link = linkTo(location.href, unit);
    return (await copyText(link)) ? "Copied the link." : `${BLOCKED} The link is ${link}`;
  };
  const copyImage = async () => {
    const image = await pictureOf(runId, "png");
    try {
      await navigator.clipboard.write([new ClipboardItem({ [image.type]: image })]);
      return "Copied as an image.";
    } catch {
      saveBlob(image, `${name}.png`);
      return `${BLOCKED} The image was saved as a file.`;
    }
  };
  const save = async (format: "png" | "svg") => {
    saveBlob(await pictureOf(runId, format), `${name}.${format}`);
    return `Saved ${name}.${format}.`;
  };
  return (
    <div className={classes.menu}>
      <Entry label="Copy as Markdown" onClick={() => tell(copyMarkdown)} />
      <Entry label="Copy as image" onClick={() => tell(copyImage)} />
      <Entry label="Copy link" onClick={() => tell(copyLink)} />
      <Entry label="Save PNG" onClick={() => tell(() => save("png"))} />
      <Entry label="Save SVG" onClick={() => tell(() => save("svg"))} />
      <Button
        component="a"
        variant="subtle"
        justify="start"
        href={`/api/v1/runs/${runId}/result.csv`}
        download={`${name}.csv`}
      >
        Save CSV
      </Button>
      <p className={classes.said} role="status">
        {said}
      </p>
    </div>
  );
}

const Entry = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button variant="subtle" justify="start" onClick={onClick}>
    {label}
  </Button>
);

async function fetched(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} could not be loaded (${answer.status}). Try again.`);
  return answer.text();
}

const markdownOf = (runId: number): Promise<string> => fetched(`/api/v1/runs/${runId}/result.md`);

/** The picture of a result with its fonts in it. */
async function pictureOf(runId: number, format: "png" | "svg"): Promise<Blob> {
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
