import { Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { arraysQuery, campaignsQuery, hostsQuery } from "@/api/queries";
import { found, type Hit } from "./found";
import classes from "./Search.module.css";

/** A dialog that finds hosts, arrays, campaigns and pages by words of their names. */
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
  const hosts = useQuery(hostsQuery).data?.items ?? [];
  const arrays = useQuery(arraysQuery).data?.items ?? [];
  const campaigns = useInfiniteQuery(campaignsQuery()).data?.pages.flatMap((p) => p.items) ?? [];
  const hits = found(text, { hosts, arrays, campaigns });

  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    void navigate(hit.link);
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + hits.length) % hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(hits[chosen]);
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
        aria-label="Search hosts, arrays, campaigns and pages"
        placeholder="Host, array, campaign or page"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the input (combobox)
          <div
            key={`${hit.kind} ${hit.id}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={classes.hit}
            onClick={() => go(hit)}
            onMouseMove={() => setChosen(index)}
          >
            <span className={classes.name}>{hit.name}</span>
            <span className={classes.kind}>{hit.kind}</span>
          </div>
        ))}
      </div>
      {hits.length === 0 ? (
        <p className={classes.none} role="status">
          No matches
        </p>
      ) : null}
    </div>
  );
}
