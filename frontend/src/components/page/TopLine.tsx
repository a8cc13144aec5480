import { createContext, useContext } from "react";

export type TopLine = {
  /** Where pages write their header. */
  element: HTMLElement | null;
  /** How often one went from page to page since the frame came up. */
  arrivals: number;
};

const TopLineContext = createContext<TopLine>({ element: null, arrivals: 0 });

/** The frame gives its top line; pages write into it through `PageHeader`. */
export const TopLineProvider = TopLineContext;

export const useTopLine = (): TopLine => useContext(TopLineContext);
