import type { LinkProps } from "@tanstack/react-router";
import type { SearchGroup } from "@/api/shapes";
import { PLACES } from "./places";

type Link = Pick<LinkProps, "to" | "params" | "search">;

/** An entry of the search; `detail` tells it from others of the same name. */
export type Hit = { key: string; name: string; detail: string; link: Link };

/** The entries of one type, under a heading. */
export type HitGroup = { title: string; hits: Hit[] };

type Type = SearchGroup["type"];

const TITLES: Record<Type, string> = {
  host: "Hosts",
  array: "Arrays",
  target: "Targets",
  profile: "Profiles",
  campaign: "Campaigns",
  run: "Runs",
  schedule: "Schedules",
};

/** A target has no page: it leads to the runs that measured there. */
const LINKS: Record<Type, (id: number) => Link> = {
  host: (id) => ({ to: "/hosts/$id", params: { id } }),
  array: (id) => ({ to: "/arrays/$id", params: { id } }),
  target: (id) => ({ to: "/runs", search: { target_id: String(id) } }),
  profile: (id) => ({ to: "/profiles/$id", params: { id } }),
  campaign: (id) => ({ to: "/campaigns/$id", params: { id } }),
  run: (id) => ({ to: "/runs/$id", params: { id } }),
  schedule: (id) => ({ to: "/schedules/$id", params: { id } }),
};

const PAGES: Hit[] = [
  ...PLACES.map(({ to, name }) => ({ key: to, name, detail: "", link: { to } })),
  ...(
    [
      ["Runs", "/runs"],
      ["Schedules", "/schedules"],
      ["Launch campaign", "/launch"],
      ["Add host", "/hosts/new"],
      ["Users", "/settings/users"],
      ["Tokens", "/settings/tokens"],
      ["Credentials", "/settings/credentials"],
      ["Tools", "/settings/tools"],
      ["Audit log", "/settings/audit"],
      ["Webhooks", "/settings/webhooks"],
      ["Storage and retention", "/settings/storage"],
    ] as const
  ).map(([name, to]) => ({ key: to, name, detail: "", link: { to } })),
];

/** The pages whose names have every word; without words, all of the navigation. */
export function pagesFor(text: string): HitGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = (words.length === 0 ? PAGES.slice(0, PLACES.length) : PAGES).filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  return hits.length > 0 ? [{ title: "Pages", hits }] : [];
}

/** What the server found, with links. */
export const hitsOf = (groups: readonly SearchGroup[]): HitGroup[] =>
  groups.map(({ type, hits }) => ({
    title: TITLES[type],
    hits: hits.map(({ id, name, detail }) => ({
      key: `${type} ${id}`,
      name,
      detail: [`#${id}`, detail].filter(Boolean).join(" · "),
      link: LINKS[type](id),
    })),
  }));
