import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import classes from "./CopyText.module.css";
import { copyText } from "./copyText";

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
