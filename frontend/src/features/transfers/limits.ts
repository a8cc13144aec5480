/** The words for what limits a transfer. */
import type { Bottleneck } from "./shapes";

export type Limit = Bottleneck["limit"];

const LIMITS: Readonly<Record<Limit, string>> = {
  source_disk: "the source's disk",
  sink_disk: "the sink's disk",
  shared_disk: "the disk that source and sink share",
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

/** "limited by the sink's disk"; what cannot be told apart is undetermined, and listed. */
export function limitWords(limit: Limit, others: readonly Limit[]): string {
  const names = others.map((one) => LIMITS[one]);
  if (limit !== "undetermined") {
    return `limited by ${listed([LIMITS[limit], ...names], "conjunction")}`;
  }
  return names.length > 0
    ? `limit undetermined: ${listed(names, "disjunction")}`
    : "limit undetermined";
}
