import { createContext, useContext, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import classes from "./Page.module.css";

type Props = {
  /** The page's name: the heading and the window title. */
  title: string;
  /** Breadcrumb links, outermost first. */
  parents?: React.ReactNode[];
  /** Content next to the title, such as a state. */
  aside?: React.ReactNode;
  /** The page's one primary action. */
  action?: React.ReactNode;
  /** The title is provisional: it is announced but not shown, so that nothing moves when the real one arrives. */
  pending?: boolean;
};

/**
 * The top line's content: breadcrumbs, heading and the page's primary action. After a navigation
 * the heading gets the focus, so that keyboard and screen reader continue on the new page.
 */
export function PageHeader({ title, parents = [], aside, action, pending = false }: Props) {
  const { element: topLine, arrivals } = useTopLine();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (arrivals > 0) heading.current?.focus({ preventScroll: true });
  }, [arrivals]);
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
  if (!topLine) return null;
  return createPortal(
    <div className={classes.header}>
      <div className={classes.where}>
        {parents.map((parent, depth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the depth identifies a crumb
          <span key={depth} className={classes.parent}>
            {parent}
            <span aria-hidden="true"> / </span>
          </span>
        ))}
        <h1
          ref={heading}
          className={pending ? "visually-hidden" : classes.title}
          title={title}
          tabIndex={-1}
        >
          {title}
        </h1>
        {aside}
      </div>
      {action ? <div className={classes.action}>{action}</div> : null}
    </div>,
    topLine,
  );
}

export type TopLine = {
  /** The element into which pages render their header. */
  element: HTMLElement | null;
  /** How many navigations happened since the frame was mounted. */
  arrivals: number;
};

const TopLineContext = createContext<TopLine>({ element: null, arrivals: 0 });

/** Provides the frame's top line; pages render into it through `PageHeader`. */
export const TopLineProvider = TopLineContext;

const useTopLine = (): TopLine => useContext(TopLineContext);

type SectionProps = {
  title: string;
  /** Content next to the title, such as an outcome. */
  aside?: React.ReactNode;
  /** One line under the title. */
  hint?: React.ReactNode;
  action?: React.ReactNode;
  children: React.ReactNode;
};

/** A section of a page: a heading with a rule, no box. */
export function Section({ title, aside, hint, action, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <div className={classes.named}>
          <h2 id={id}>{title}</h2>
          {aside}
        </div>
        {action}
      </div>
      {hint ? <p className={classes.hint}>{hint}</p> : null}
      {children}
    </section>
  );
}
