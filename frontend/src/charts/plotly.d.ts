/** The part of plotly.js that Assay uses; the package has no types. */
declare module "plotly.js-basic-dist-min" {
  export interface Trace {
    type: "scatter";
    name: string;
    x: readonly (number | string | null)[];
    y: readonly (number | null)[];
    xaxis?: string;
    yaxis?: string;
    mode?: "lines" | "markers" | "lines+markers";
    line?: { color?: string; width?: number; dash?: string; shape?: "linear" | "vh" };
    marker?: { color?: string | readonly string[]; size?: number; symbol?: string };
    fill?: "tonexty" | "tozeroy" | "toself";
    fillcolor?: string;
    hoverinfo?: "skip";
    hovertemplate?: string;
    text?: readonly string[];
    textposition?: string;
    cliponaxis?: boolean;
    connectgaps?: boolean;
    customdata?: readonly unknown[];
    showlegend?: boolean;
    legendgroup?: string;
    stackgroup?: string;
  }

  export type Layout = Record<string, unknown>;
  export type Config = Record<string, unknown>;

  /** The element that plotly draws in. */
  export interface PlotlyElement extends HTMLDivElement {
    on(event: "plotly_relayout", listener: () => void): void;
    removeListener(event: "plotly_relayout", listener: () => void): void;
  }

  export interface Plotly {
    react(
      element: HTMLElement,
      traces: Trace[],
      layout: Layout,
      config: Config,
    ): Promise<PlotlyElement>;
    purge(element: HTMLElement): void;
    toImage(
      figure: { data: Trace[]; layout: Layout },
      options: { format: "svg"; width: number; height: number },
    ): Promise<string>;
    Plots: { resize(element: HTMLElement): Promise<void> };
  }

  const plotly: Plotly;
  export default plotly;
}
