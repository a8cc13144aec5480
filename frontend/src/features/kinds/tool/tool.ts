/** A tool test: the API's types, the words for what it moves, and the list of its tools. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";
import { count, formatBlock } from "@/components/quantities";
import type { ValueFormat } from "@/features/parameters/formats";
import type { Parsed } from "@/features/parameters/parse";

type Schemas = components["schemas"];

export type ToolTest = Schemas["ToolTest"];
export type ToolParameters = Schemas["ToolParameters"];
export type ToolHeadline = Schemas["ToolHeadline"];
export type Tools = Schemas["ToolResult"];
export type ToolCell = Schemas["ToolCell"];
export type ToolTrial = Schemas["ToolTrial"];
export type ToolEnd = Schemas["ToolEnd"];
export type ToolDefinition = Schemas["ToolDefinition"];

export const asTools = (result: Result): Tools => result as unknown as Tools;

/** Two or more runs that move data, by tools or by Assay; the first is compared with each other one. */
export type ComparedTools = Omit<Comparison, "outcome" | "others"> & {
  outcome: Schemas["ToolComparison"] | null;
  others: Schemas["ToolComparison"][];
};

const filesWords = (files: number): string => (files === 1 ? "1 file" : `${count(files)} files`);

/** "1000 files", "records of 1 KiB", "its own data" */
export function inputWords({
  input,
  files,
  record_bytes,
}: Pick<ToolCell, "input" | "files" | "record_bytes">): string {
  if (input === "files") return filesWords(files);
  return input === "records" ? `records of ${formatBlock(record_bytes)}` : "its own data";
}

/** "rsync-ssh, 1000 files" */
export const trialWords = (parameters: ToolParameters): string =>
  `${parameters.tool}, ${inputWords(parameters)}`;

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
