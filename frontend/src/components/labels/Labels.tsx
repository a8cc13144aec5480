import { Textarea, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { valuesText } from "@/api/listSearch";
import classes from "./Labels.module.css";

type LabelChipsProps = {
  /** Pairs if a key may have several values. */
  labels: Labels | (readonly [key: string, value: string])[];
};

/** Labels as chips that lead to the campaigns with that label; a dash if there are none. */
export function LabelChips({ labels }: LabelChipsProps) {
  const pairs = Array.isArray(labels) ? labels : Object.entries(labels);
  if (pairs.length === 0) return "–";
  return (
    <ul className={classes.chips}>
      {pairs.map(([key, value]) => (
        <li key={`${key}=${value}`} className={classes.item}>
          <Link
            to="/campaigns"
            search={{ label: valuesText([`${key}=${value}`]) }}
            className={classes.chip}
            aria-label={`${key}=${value}`}
            title={`Campaigns with ${key}=${value}`}
          >
            <span className={classes.key}>{key}</span>
            <span className="visually-hidden">=</span>
            <span className={classes.value}>{value}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

type LabelLineProps = {
  of: { labels: Labels; reference: string | null };
  /** The button that edits them, if one may. */
  action: React.ReactNode;
};

/** A line with an object's labels and external reference; absent if there is nothing to show. */
export function LabelLine({ of: { labels, reference }, action }: LabelLineProps) {
  const hasLabels = Object.keys(labels).length > 0;
  if (!hasLabels && !reference && !action) return null;
  return (
    <div className={classes.line}>
      {hasLabels ? <LabelChips labels={labels} /> : null}
      {reference ? (
        <span className={classes.reference}>
          <span className={classes.name}>Reference</span> {reference}
        </span>
      ) : null}
      {action}
    </div>
  );
}

/** The fields of a form for an object's labels and external reference, with their first values. */
export const labelValues = (object: { labels: Labels; reference: string | null } | undefined) => ({
  labels: labelText(object?.labels ?? {}),
  reference: object?.reference ?? "",
});

/** What such a form sends. */
export const labelBody = (values: { labels: string; reference: string }) => ({
  labels: labelsIn(values.labels),
  reference: values.reference.trim() || null,
});

export const validateLabels = (text: string): string | null => {
  const found = parseLabels(text);
  return "mistake" in found ? found.mistake : null;
};

interface LabelFieldsProps {
  getInputProps: (name: "labels" | "reference") => object;
}

/** Edits labels and external reference. */
export function LabelFields({ getInputProps }: LabelFieldsProps) {
  return (
    <>
      <Textarea
        label="Labels"
        description="One key=value per line, such as rack=b7. Runs keep the labels of their launch."
        rows={3}
        resize="vertical"
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        {...getInputProps("labels")}
      />
      <TextInput
        label="External reference"
        description="A ticket, an order or a change in another system."
        {...getInputProps("reference")}
      />
    </>
  );
}

/** Labels as text to edit: one `key=value` per line, in the order of the keys. */

type Labels = Record<string, string>;

export const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");

/** The labels in a text, or the first mistake in it; the API checks keys and values. */
export function parseLabels(text: string): { labels: Labels } | { mistake: string } {
  const labels = new Map<string, string>();
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (!line) continue;
    const at = line.indexOf("=");
    if (at < 0) return { mistake: `“${line}” has no value. Write it as key=value.` };
    const key = line.slice(0, at).trim();
    if (labels.has(key)) return { mistake: `“${key}” occurs twice. Each key has one value.` };
    labels.set(key, line.slice(at + 1).trim());
  }
  return { labels: Object.fromEntries(labels) };
}

/** The labels in a text that was validated. */
export function labelsIn(text: string): Labels {
  const found = parseLabels(text);
  return "labels" in found ? found.labels : {};
}
