/** Labels as text to edit: one `key=value` per line, in the order of the keys. */

export type Labels = Record<string, string>;

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
