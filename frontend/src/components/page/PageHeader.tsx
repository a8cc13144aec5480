import { useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import classes from "./PageHeader.module.css";
import { useTopLine } from "./TopLine";

type Props = {
  /** The page's name: the heading, and the window's title. */
  title: string;
  /** Where the page belongs, as links, outermost first. */
  parents?: React.ReactNode[];
  /** What stands beside the title: a state, for example. */
  aside?: React.ReactNode;
  /** The page's one primary action. */
  action?: React.ReactNode;
};

/**
 * Says in the top line where one is, and offers the page's one primary action. After a navigation
 * the heading has the focus, so that keyboard and screen reader go on from the new page.
 */
export function PageHeader({ title, parents = [], aside, action }: Props) {
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
          // biome-ignore lint/suspicious/noArrayIndexKey: the depth is what identifies a crumb
          <span key={depth} className={classes.parent}>
            {parent}
            <span aria-hidden="true"> / </span>
          </span>
        ))}
        <h1 ref={heading} className={classes.title} title={title} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {action ? <div className={classes.action}>{action}</div> : null}
    </div>,
    topLine,
  );
}
