/** The parameters of a tool test. */
import { BOUNDS } from "@/api/bounds";
import type { RunParameters } from "@/api/shapes";
import { formatBlock, formatBytes } from "@/components/quantities";
import { addressOf, FAMILY, portOf } from "@/features/parameters/connection";
import type { ParameterGroup } from "@/features/parameters/parameters";
import {
  fileSizeText,
  type Parsed,
  parseCounts,
  parseFileSize,
  parseSize,
  parseSpan,
  sizesFromTo,
  spanText,
  understoodFileSize,
} from "@/features/parameters/parse";
import {
  ORDER,
  REPEATS,
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
  TIME_LIMIT,
} from "@/features/parameters/shared";
import type { ToolTest } from "./shapes";

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

export const GROUPS: ParameterGroup<ToolTest>[] = [
  {
    title: "Tools and input",
    parameters: [
      {
        name: "tools",
        label: "Tools",
        help: "By name; each moves the same input. Administrators define them.",
        wide: true,
        text: ({ tools }) => (tools ?? []).join(", "),
        parse: parseTools,
      },
      {
        name: "length",
        label: "Length",
        help: "Data of each trial, such as 10 GB or 2 * ram.",
        text: ({ length }) => fileSizeText(length),
        parse: parseFileSize,
        understood: understoodFileSize,
        measured: measuredLength,
      },
      {
        name: "files",
        label: "Files",
        help: "For tools that move files: how many, of equal size; one cell per value and tool.",
        text: ({ files }) => (files ?? []).join(", "),
        parse: (text) => parseCounts(text, ...BOUNDS.tool.files),
      },
      {
        name: "record_bytes",
        label: "Record length",
        help: `For tools that move records: ${sizesFromTo(BOUNDS.tool.record_bytes)}, with the end of the line.`,
        text: ({ record_bytes }) => formatBlock(record_bytes ?? 0).replace("\u00a0", " "),
        parse: (text) => parseSize(text, ...BOUNDS.tool.record_bytes),
      },
      {
        name: "duration_ms",
        label: "Duration",
        help: "For tools that generate their own data.",
        text: ({ duration_ms }) => spanText(duration_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.tool.duration_ms),
      },
      REPEATS,
    ],
  },
  {
    title: "Connection",
    folded: true,
    parameters: [
      FAMILY,
      portOf(BOUNDS.tool.port, "The first of two ports for the tool; 0 for any free ones."),
      addressOf("source"),
      addressOf("sink"),
    ],
  },
  {
    title: "Limits and sampling",
    folded: true,
    parameters: [TIME_LIMIT, SYNC_LIMIT, SAMPLING_INTERVAL, ORDER],
  },
];

/** A run's length in bytes, whatever expression the test has. */
function measuredLength(parameters: RunParameters): string | null {
  const { length } = parameters as unknown as ToolTest;
  return typeof length === "number" ? formatBytes(length) : null;
}
