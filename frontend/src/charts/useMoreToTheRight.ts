import { type RefObject, useEffect, useState } from "react";

/** Pixels beyond the edge that hold nothing but padding. */
const PADDING = 6;

/** Whether what scrolls sideways has more to show beyond its right edge. */
export function useMoreToTheRight(scroll: RefObject<HTMLElement | null>): boolean {
  const [more, setMore] = useState(false);
  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    const look = () => {
      const { scrollWidth, clientWidth, scrollLeft } = element;
      setMore(scrollWidth - clientWidth - scrollLeft > PADDING);
    };
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroll]);
  return more;
}
