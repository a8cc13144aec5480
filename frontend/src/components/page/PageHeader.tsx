import { useEffect } from "react";
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

/** Says in the top line where one is, and offers the page's one primary action. */
export function PageHeader({ title, parents = [], aside, action }: Props) {
  const topLine = useTopLine();
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
        <h1 className={classes.title} title={title}>
          {title}
        </h1>
        {aside}
      </div>
      {action ? <div className={classes.action}>{action}</div> : null}
    </div>,
    topLine,
  );
}
