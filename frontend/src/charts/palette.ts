import { useComputedColorScheme } from "@mantine/core";
import { useMemo } from "react";

/** The theme's colors and fonts as values, because plotly does not read CSS variables. */
export interface ChartPalette {
  ink: string;
  inkFaint: string;
  rule: string;
  surface: string;
  fontText: string;
  fontFigures: string;
}

function readPalette(): ChartPalette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string, otherwise: string) =>
    style.getPropertyValue(name).trim() || otherwise;
  return {
    ink: value("--ink", "#14191d"),
    inkFaint: value("--ink-3", "#5a656d"),
    rule: value("--rule", "#d3dade"),
    surface: value("--paper", "#f3f5f6"),
    fontText: value("--font-text", "sans-serif"),
    fontFigures: value("--font-figures", "monospace"),
  };
}

/** Return the palette of the current theme. */
export function useChartPalette(): ChartPalette {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides what the style says
  return useMemo(readPalette, [scheme]);
}
