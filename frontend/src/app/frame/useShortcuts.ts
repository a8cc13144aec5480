import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { PLACES } from "./places";

/** How long `g` waits for the second key. */
const SEQUENCE_MS = 1200;

type Actions = { onSearch: () => void; onHelp: () => void };

/** Whether a keystroke is text input rather than a shortcut. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null)
  );
}

/** Handle the keyboard shortcuts: `g` and a letter, `/`, `c` and `?`. */
export function useShortcuts({ onSearch, onHelp }: Actions): void {
  const navigate = useNavigate();
  const goSince = useRef(0);

  const act = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const going = event.timeStamp - goSince.current < SEQUENCE_MS && goSince.current > 0;
    goSince.current = 0;
    if (going) {
      const place = PLACES.find(({ key }) => key === event.key);
      if (place) {
        event.preventDefault();
        void navigate({ to: place.to });
      }
      return;
    }
    if (event.key === "g") goSince.current = event.timeStamp;
    else if (event.key === "/") onSearch();
    else if (event.key === "?") onHelp();
    else if (event.key === "c") void navigate({ to: "/launch" });
    else return;
    event.preventDefault();
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => act(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
