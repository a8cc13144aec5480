import type { ChartPalette } from "./figure";

/** The palette of the light theme, for tests. */
export const palette: ChartPalette = {
  ink: "#000000",
  inkFaint: "#555555",
  rule: "#cccccc",
  surface: "#ffffff",
  fontText: "sans-serif",
  fontFigures: "monospace",
};
