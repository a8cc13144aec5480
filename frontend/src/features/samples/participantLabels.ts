/** More characters do not fit beside a chart. */
const LONGEST = 13;

type Participant = { host: string; path: string | null; role?: string };

const DOES: Record<string, string> = { reader: "reads", sender: "sends", receiver: "receives" };

/**
 * Of pairs that share an end: the other end of each, as "from web-1" and "to web-2". A sender and the
 * receiver after it are a pair.
 */
function opposites(participants: readonly Participant[]): string[][] {
  const hostAt = (index: number) => participants[index]?.host ?? "";
  const isReceiver = ({ role }: Participant) => role === "receiver";
  return [
    participants.map((one, index) => (isReceiver(one) ? `from ${hostAt(index - 1)}` : one.host)),
    participants.map((one, index) => (isReceiver(one) ? one.host : `to ${hostAt(index + 1)}`)),
  ];
}

/**
 * What tells participants apart, for the margin of a chart: the host, else whether they send or
 * receive, else the directory's end; on one target whether they write or read.
 */
export function participantLabels(participants: readonly Participant[]): string[] {
  const ends = participants.map(({ path }) => path?.split("/").findLast(Boolean) ?? "/");
  const roles = participants.map(({ role }) => (role && DOES[role]) || "writes");
  const isTransfer = participants.some(({ role }) => role === "sender");
  const choices = [
    participants.map(({ host }) => host),
    ...(isTransfer ? [roles, ...opposites(participants)] : []),
    ends,
    roles,
    participants.map(({ host }, index) => `${host} ${roles[index]}`),
    roles.map((role, index) => `${role} ${ends[index]}`),
    participants.map(({ host }, index) => `${host} ${ends[index]}`),
    participants.map(({ host, path }) => `${host} ${path ?? ""}`),
  ];
  const short = choices.flatMap((names) => [
    names.map((name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name)),
    names.map((name) => (name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name)),
  ]);
  return short.find((names) => new Set(names).size === names.length) ?? ends;
}
