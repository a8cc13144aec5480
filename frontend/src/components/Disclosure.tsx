import { type ReactNode, useEffect, useRef } from "react";
import classes from "./Disclosure.module.css";

interface DisclosureProps {
  /** The line that stays. */
  summary: ReactNode;
  className?: string;
  children: ReactNode;
}

/** Content that folds behind a line; on paper it is unfolded. */
export function Disclosure({ summary, className = "", children }: DisclosureProps) {
  const details = useUnfoldedInPrint();
  return (
    <details ref={details} className={`${classes.disclosure} ${className}`}>
      <summary className={classes.summary}>{summary}</summary>
      {children}
    </details>
  );
}

function useUnfoldedInPrint() {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    let wasOpen = true;
    const unfold = () => {
      wasOpen = details.current?.open ?? true;
      if (details.current) details.current.open = true;
    };
    const restore = () => {
      if (details.current) details.current.open = wasOpen;
    };
    window.addEventListener("beforeprint", unfold);
    window.addEventListener("afterprint", restore);
    return () => {
      window.removeEventListener("beforeprint", unfold);
      window.removeEventListener("afterprint", restore);
    };
  }, []);
  return details;
}
