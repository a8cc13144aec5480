import type { ChartPalette } from "./palette";

/** A light theme's, for tests. */
export const palette: ChartPalette = {
  ink: "#000000",
  inkFaint: "#555555",
  rule: "#cccccc",
  surface: "#ffffff",
  fontText: "sans-serif",
  fontFigures: "monospace",
};
