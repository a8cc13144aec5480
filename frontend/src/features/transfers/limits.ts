/** The words for what limits a transfer. */
import type { Bottleneck } from "./shapes";

export type Limit = Bottleneck["limit"];

const LIMITS: Readonly<Record<Limit, string>> = {
  source_disk: "the source's disk",
  sink_disk: "the sink's disk",
  shared_disk: "the disk that source and sink share",
  source_files: "the opening of files at the source",
  sink_files: "the creation of files at the sink",
  link: "the link",
  source_card: "the source's network card",
  sink_card: "the sink's network card",
  loss: "packet loss",
  receive_buffer: "the receiver's socket buffer",
  send_buffer: "the sender's socket buffer",
  pacing: "the pacing of the test",
  sender_cpu: "the sender's CPU",
  receiver_cpu: "the receiver's CPU",
  network: "the network",
  acknowledgements: "the wait for acknowledgements",
  undetermined: "undetermined",
};

const listed = (words: readonly string[], type: "conjunction" | "disjunction"): string =>
  new Intl.ListFormat("en", { type }).format(words);

/**
 * "limited by the sink's disk"; what cannot be told apart is undetermined, and listed. Several pairs
 * have words of their own for all of them: "the disks of web-1".
 */
export function limitWords(
  limit: Limit,
  others: readonly Limit[],
  ofPairs: readonly string[] = [],
): string {
  const known = [...(limit === "undetermined" ? [] : [limit]), ...others];
  const names = ofPairs.length > 0 ? ofPairs : known.map((one) => LIMITS[one]);
  if (limit !== "undetermined") return `limited by ${listed(names, "conjunction")}`;
  return names.length > 0
    ? `limit undetermined: ${listed(names, "disjunction")}`
    : "limit undetermined";
}

/** "Both: limited by the link."; nothing where the limit of a run is not known. */
export function limitSentences(
  [a, b]: readonly [Limit | null, Limit | null],
  [nameA, nameB]: readonly [string, string],
): string[] {
  if (a === null || b === null) return [];
  if (a === b) return [`Both: ${limitWords(a, [])}.`];
  return [`${nameA}: ${limitWords(a, [])}; ${nameB}: ${limitWords(b, [])}.`];
}
