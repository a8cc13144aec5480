import { createContext, useContext } from "react";

export type TopLine = {
  /** The element into which pages render their header. */
  element: HTMLElement | null;
  /** How many navigations happened since the frame was mounted. */
  arrivals: number;
};

const TopLineContext = createContext<TopLine>({ element: null, arrivals: 0 });

/** Provides the frame's top line; pages render into it through `PageHeader`. */
export const TopLineProvider = TopLineContext;

export const useTopLine = (): TopLine => useContext(TopLineContext);
