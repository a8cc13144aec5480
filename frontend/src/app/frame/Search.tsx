import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { searchQuery } from "@/api/queries";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { type Hit, hitsOf, pagesFor } from "./hits";
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
    <div className={classes.search}>
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
