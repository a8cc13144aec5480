import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import classes from "./SectionRail.module.css";

/** Fewer sections are all in sight. */
const LEAST = 3;

/** A section whose top is at most this far below the top line has been reached, in pixels. */
const REACHED = 48;

interface Named {
  heading: HTMLElement;
  id: string;
  title: string;
}

/** A long page with a rail of its sections beside it, which jumps to each and shows the current one. */
export function SectionRail({ children }: { children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const sections = useSections(content);
  const { here, show } = useCurrent(sections);
  const jump = (event: MouseEvent, section: Named) => {
    event.preventDefault();
    const { heading } = section;
    heading.closest("section")?.scrollIntoView();
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    show(section);
  };
  return (
    <div className={classes.page}>
      <div ref={content} className={classes.content}>
        {children}
      </div>
      {sections.length < LEAST ? null : (
        <nav className={classes.rail} aria-label="Sections">
          <ul>
            {sections.map((section) => (
              <li key={section.id}>
                <a
                  href={`#${section.id}`}
                  aria-current={section.id === here ? "location" : undefined}
                  onClick={(event) => jump(event, section)}
                >
                  {section.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}

/** The sections that the content has now; it changes with what is selected and loaded. */
function useSections(content: React.RefObject<HTMLElement | null>): readonly Named[] {
  const [sections, setSections] = useState<readonly Named[]>([]);
  useEffect(() => {
    const { current } = content;
    if (!current) return;
    const find = () => {
      const found = [...current.querySelectorAll<HTMLElement>("section[aria-labelledby] h2[id]")];
      const next = found.map((heading) => ({
        heading,
        id: heading.id,
        title: heading.textContent ?? "",
      }));
      setSections((before) => (isSame(before, next) ? before : next));
    };
    find();
    const observer = new MutationObserver(find);
    observer.observe(current, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [content]);
  return sections;
}

const isSame = (before: readonly Named[], next: readonly Named[]): boolean =>
  before.length === next.length &&
  next.every(
    ({ heading, title }, place) =>
      before[place]?.heading === heading && before[place]?.title === title,
  );

/**
 * The id of the last section that has been reached; at the end of the page it is the last one. The
 * end may leave a section that was jumped to below its place: `show` marks it until the page moves.
 */
function useCurrent(sections: readonly Named[]) {
  const [here, setHere] = useState<string>();
  const jumped = useRef<number>(null);
  const show = ({ id }: Named) => {
    jumped.current = document.documentElement.scrollTop;
    setHere(id);
  };
  useEffect(() => {
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
      if (scrollTop === jumped.current) return;
      jumped.current = null;
      const isAtEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1;
      const top = topHeight() + REACHED;
      const reached = sections.filter(({ heading }) => heading.getBoundingClientRect().top <= top);
      setHere((isAtEnd ? sections : reached).at(-1)?.id ?? sections[0]?.id);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [sections]);
  return { here, show };
}

const topHeight = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--top-height")) ||
  0;
