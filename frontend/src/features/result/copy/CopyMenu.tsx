import { Button } from "@mantine/core";
import { useState } from "react";
import { saveBlob } from "@/charts/saveFile";
import { copyText } from "@/components/copyText";
import { useRateUnit } from "@/components/quantities";
import classes from "./CopyMenu.module.css";
import { linkTo, markdownOf, pictureOf } from "./copies";

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
