/** Parse the list of a tool test's tools; each error is one sentence. */
import type { ValueFormat } from "@/features/parameters/formats";
import type { Parsed } from "@/features/parameters/parse";

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The names in a list of tools: "rsync-ssh, scp". */
export const toolNames = (text: string): string[] =>
  text
    .split(/[,;/]/)
    .map((name) => name.trim())
    .filter(Boolean);

/** A list of tools by name; which of them exist, the server knows. */
export function parseTools(text: string): Parsed<string[]> {
  const names = toolNames(text);
  if (names.length === 0) return { error: "Enter at least one tool, such as rsync-ssh." };
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong) return { error: `${wrong} is not the name of a tool such as rsync-ssh.` };
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice ? { error: `${twice} appears more than once.` } : { value: names };
}

/** Tools in the field of a form. */
export const TOOLS_FORMAT: ValueFormat = {
  text: (tools) => ((tools ?? []) as string[]).join(", "),
  parse: parseTools,
};
