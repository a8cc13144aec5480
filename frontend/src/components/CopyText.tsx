import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import classes from "./CopyText.module.css";

/** How long the button shows the outcome, in milliseconds. */
const SAID_MS = 2000;

/** A text to copy in full: a public key, a token, a fingerprint. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState<"copied" | "selected" | null>(null);
  const copy = async () => {
    const copied = await copyText(text);
    setOutcome(copied ? "copied" : "selected");
    if (copied) setTimeout(() => setOutcome(null), SAID_MS);
    else if (shown.current) getSelection()?.selectAllChildren(shown.current);
  };
  return (
    <div>
      <div className={classes.copy}>
        <code ref={shown} className={classes.text}>
          {text}
        </code>
        <Button variant="default" onClick={copy} aria-label={`Copy ${label}`}>
          {outcome === "copied" ? "Copied" : "Copy"}
        </Button>
      </div>
      <p className={outcome === "selected" ? classes.hint : "visually-hidden"} role="status">
        {outcome === "copied" ? `Copied ${label}.` : null}
        {outcome === "selected"
          ? `The browser blocked access to the clipboard. The ${label} is selected: press Ctrl+C to copy it.`
          : null}
      </p>
    </div>
  );
}

/**
 * Copy a text to the clipboard; return false when the browser refuses. Over plain HTTP browsers
 * have no clipboard API, so this falls back to `execCommand`.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByCommand(text);
  }
}

/** Copy by `execCommand`, which copies a selection, so the text is briefly added to the page. */
function copiedByCommand(text: string): boolean {
  const focused = document.activeElement;
  const holder = document.createElement("textarea");
  holder.value = text;
  holder.className = "visually-hidden";
  // within the dialog, if one is open: it keeps the focus to itself
  (focused?.parentElement ?? document.body).append(holder);
  holder.select();
  try {
    return document.execCommand("copy");
  } finally {
    holder.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
