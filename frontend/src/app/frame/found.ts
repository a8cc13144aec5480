import type { LinkProps } from "@tanstack/react-router";
import type { Campaign, Host, StorageArray } from "@/api/shapes";
import { PLACES } from "./places";

type Link = Pick<LinkProps, "to" | "params">;
export type Hit = { kind: string; id: number | string; name: string; link: Link };

type Things = { hosts: Host[]; arrays: StorageArray[]; campaigns: Campaign[] };

const MOST_HITS = 12;

const OTHER_PAGES: Hit[] = [
  { kind: "page", id: "launch", name: "Launch campaign", link: { to: "/launch" } },
  { kind: "page", id: "new host", name: "Add host", link: { to: "/hosts/new" } },
  { kind: "page", id: "users", name: "Users", link: { to: "/settings/users" } },
  { kind: "page", id: "tokens", name: "Tokens", link: { to: "/settings/tokens" } },
  { kind: "page", id: "credentials", name: "Credentials", link: { to: "/settings/credentials" } },
  { kind: "page", id: "audit", name: "Audit log", link: { to: "/settings/audit" } },
];

/** Return the objects that match every word; names that start with the first word come first. */
export function found(text: string, { hosts, arrays, campaigns }: Things): Hit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const everything: (Hit & { more?: string })[] = [
    ...PLACES.map(({ to, name }) => ({ kind: "page", id: to, name, link: { to } })),
    ...OTHER_PAGES,
    ...hosts.map((host) => ({
      kind: "host",
      id: host.id,
      name: host.name,
      more: `${host.address ?? ""} ${host.targets.map((target) => target.path).join(" ")}`,
      link: { to: "/hosts/$id", params: { id: host.id } } satisfies Link,
    })),
    ...arrays.map((array) => ({
      kind: "array",
      id: array.id,
      name: array.name,
      more: `${array.vendor ?? ""} ${array.model ?? ""}`,
      link: { to: "/arrays" } satisfies Link,
    })),
    ...campaigns.map((campaign) => ({
      kind: "campaign",
      id: campaign.id,
      name: campaign.name,
      more: `#${campaign.id} ${campaign.profile.name}`,
      link: { to: "/campaigns/$id", params: { id: campaign.id } } satisfies Link,
    })),
  ];
  const matches = everything.filter(({ name, kind, more = "" }) => {
    const all = `${name} ${kind} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const begins = (hit: Hit) => (words[0] && hit.name.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return matches.sort((a, b) => begins(a) - begins(b)).slice(0, MOST_HITS);
}
