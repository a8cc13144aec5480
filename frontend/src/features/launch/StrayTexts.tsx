import { Button } from "@mantine/core";
import type { Texts } from "@/features/parameters/parameters";
import classes from "./StrayTexts.module.css";

interface StrayTextsProps {
  /** The parameters that no selected test has. */
  names: readonly string[];
  texts: Texts;
  onChange: (changed: Texts) => void;
}

/** The parameters of a link that no selected test has, to be removed. */
export function StrayTexts({ names, texts, onChange }: StrayTextsProps) {
  return names.map((name) => (
    <div key={name} className={classes.stray} role="alert">
      <span>
        <code>
          {name} = {texts[name]}
        </code>{" "}
        does not apply: no selected test has a parameter <code>{name}</code>.
      </span>
      <Button
        size="xs"
        variant="default"
        aria-label={`Remove ${name}`}
        onClick={() => onChange({ [name]: undefined })}
      >
        Remove
      </Button>
    </div>
  ));
}
