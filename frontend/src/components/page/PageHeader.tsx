import { useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import classes from "./PageHeader.module.css";
import { useTopLine } from "./TopLine";

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
