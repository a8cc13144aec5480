import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type LinkProps, useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { searchQuery } from "@/api/queries";
import type { SearchGroup } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { PLACES } from "./places";
import classes from "./Search.module.css";

/** How long typing must pause before the server is asked. */
const PAUSE_MS = 150;

/** The server rejects longer texts. */
const LONGEST_TEXT = 200;

/** A dialog that finds hosts, arrays, targets, profiles, campaigns, runs and pages by words. */
export function Search({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} padding={0} size={560} yOffset="12dvh">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Search">
        <Modal.Body>
          <SearchBox onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SearchBox({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const navigate = useNavigate();
  const words = text.trim();
  const [asked] = useDebouncedValue(words, PAUSE_MS);
  const answer = useQuery(searchQuery(words ? asked : ""));
  const found = words && answer.data ? answer.data.groups : [];
  const groups = [...hitsOf(found), ...pagesFor(words)];
  const hits = groups.flatMap((group) => group.hits);
  const isSettled = words === asked && !answer.isFetching;

  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    void navigate(hit.link);
  };

  const choose = (index: number) => {
    setChosen(index);
    document.getElementById(`${listId}-${index}`)?.scrollIntoView({ block: "nearest" });
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      choose((chosen + step + hits.length) % hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      // an answer to fewer words is not what was asked for
      if (isSettled) go(hits[chosen]);
    }
  };

  return (
    <div>
      <input
        className={classes.input}
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={hits[chosen] ? `${listId}-${chosen}` : undefined}
        aria-label="Search"
        placeholder="Name, address, path, serial number or id"
        maxLength={LONGEST_TEXT}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
        {groups.map((group, number) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of a listbox is no form
          <div key={group.title} role="group" aria-labelledby={`${listId}-${group.title}`}>
            <p id={`${listId}-${group.title}`} className={classes.title} role="presentation">
              {group.title}
            </p>
            {group.hits.map((hit, position) => {
              const before = groups.slice(0, number).flatMap((earlier) => earlier.hits).length;
              const index = before + position;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
                // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the input (combobox)
                <div
                  key={hit.key}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === chosen}
                  className={classes.hit}
                  onClick={() => go(hit)}
                  onMouseMove={() => setChosen(index)}
                >
                  <span className={classes.name}>{hit.name}</span>
                  <span className={classes.detail}>{hit.detail}</span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {answer.error && words ? <ProblemPanel error={answer.error} /> : null}
      <p className={classes.note} role="status">
        {noteOf(
          words,
          hits.length,
          isSettled,
          found.some(({ more }) => more),
        )}
      </p>
    </div>
  );
}

/** What is said below the results; nothing if they speak for themselves. */
function noteOf(words: string, hits: number, isSettled: boolean, more: boolean): string {
  if (!words) return "";
  if (!isSettled) return hits === 0 ? "Searching…" : "";
  if (hits === 0) return "No matches";
  return more ? "Only the first of each type are shown. Add a word to narrow the search." : "";
}

type Link = Pick<LinkProps, "to" | "params" | "search">;

/** An entry of the search; `detail` tells it from others of the same name. */
type Hit = { key: string; name: string; detail: string; link: Link };

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
