/** What the headlines of all kinds say in the same words. */
import { upperFirst } from "@mantine/hooks";
import type { Quantity } from "@/components/quantities";

/** The text before and after a headline's figure. */
export interface HeadlineParts {
  /** Why the figure may not be that of the storage; null if nothing speaks against it. */
  doubt: string | null;
  bytesPerS: number;
  /** Operations per second, where they are the figure of the result. */
  iops?: number;
  /** The figure of the result, where it is neither. */
  quantity?: Quantity;
  rest: string;
}

const NO_RESULT: Record<string, string> = {
  suspended: "the probe was suspended",
  starved: "the probe did not get enough CPU time",
  contended: "the storage was busy with other I/O",
  too_short: "the trial was too short",
  short_overlap: "the participants barely overlapped",
};

const DOUBTS: Record<string, string> = {
  page_cache: "Served by the page cache",
  array_cache: "Possibly served by the array's cache",
};

/** Why a run has no result, as a clause; `code`: null if nothing was measured. */
export const noResultWords = (code: string | null): string =>
  (code !== null && NO_RESULT[code]) || "nothing was measured";

/** "no trial is reliable (contended, too short)": which flags exclude the trials. */
export const unreliableWords = (flags: readonly string[] = []): string => {
  const words = flags.map((code) => code.replaceAll("_", " ")).join(", ");
  return words ? `no trial is reliable (${words})` : "no trial is reliable";
};

/** The doubt about a figure that this source served; null for the device, or if it is unknown. */
export const doubtWords = (servedBy: string | null): string | null =>
  (servedBy !== null && DOUBTS[servedBy]) || null;

/** A headline without its figure, as a sentence of its own, for where that stands large beside it. */
export const restSentence = ({ doubt, rest }: HeadlineParts): string =>
  upperFirst(doubt === null ? rest : `${doubt}: ${rest}`);

/** In place of a headline, as long as no trial has ended. */
export const unmeasuredWords = (ended: boolean): string =>
  ended ? "Nothing was measured." : "No result yet: no trial has ended.";
