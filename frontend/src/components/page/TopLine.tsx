import { createContext, useContext } from "react";

const TopLineContext = createContext<HTMLElement | null>(null);

/** The frame gives its top line; pages write into it through `PageHeader`. */
export const TopLineProvider = TopLineContext;

export const useTopLine = (): HTMLElement | null => useContext(TopLineContext);
