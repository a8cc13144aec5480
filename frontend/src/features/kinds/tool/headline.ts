import { count, figure, formatBlock, formatRate, type RateUnit } from "@/components/quantities";
import { type HeadlineParts, restSentence, unreliableWords } from "@/features/kinds/headline";
import type { ToolCell, ToolHeadline, ToolParameters } from "./shapes";

const NONE = "not_measured";

const NO_RESULT = {
  data_lost: "no tool delivered all data as it was",
  not_measured: "nothing was measured",
};

/** "4.60 CPU s/GB" */
export const costText = (secondsPerGb: number): string =>
  `${figure(secondsPerGb)}\u00a0CPU\u00a0s/GB`;

const filesWords = (files: number): string => (files === 1 ? "1 file" : `${count(files)} files`);

/** "durable, rsync over ssh with 1000 files; 4.60 CPU s/GB; fastest of 2 tools" */
function restWords({ title, rate, files, cpu_s_per_gb, of_tools }: ToolHeadline): string {
  const input = files === null ? "" : ` with ${filesWords(files)}`;
  return [
    `${rate === "durable" ? "durable, " : ""}${title}${input}`,
    ...(cpu_s_per_gb === null ? [] : [costText(cpu_s_per_gb)]),
    ...(of_tools > 1 ? [`fastest of ${of_tools} tools`] : []),
  ].join("; ");
}

/** The text after a headline's figure; null if it has none. */
export function headlineParts(headline: ToolHeadline): HeadlineParts | null {
  if (headline.bytes_per_s === null) return null;
  return { doubt: null, bytesPerS: headline.bytes_per_s, rest: restWords(headline) };
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: ToolHeadline, unit: RateUnit): string {
  const { bytes_per_s, no_result, flags } = headline;
  if (bytes_per_s !== null) return `${formatRate(bytes_per_s, unit)} ${restWords(headline)}`;
  const why = no_result === "unreliable" ? unreliableWords(flags) : NO_RESULT[no_result ?? NONE];
  return `No result: ${why}.`;
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: ToolHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline);
  return parts === null ? headlineWords(headline, unit) : restSentence(parts);
}

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
