import { Textarea, TextInput } from "@mantine/core";
import { type Labels, labelsIn, labelText, parseLabels } from "./labelText";

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
