import { Button, CopyButton } from "@mantine/core";
import classes from "./CopyText.module.css";

/** A text to be taken elsewhere in full: a public key, a token, a fingerprint. */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.copy}>
      <code className={classes.text}>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
