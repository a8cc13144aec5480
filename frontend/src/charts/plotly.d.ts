/** The part of plotly.js that Assay uses; the package brings no types of its own. */
declare module "plotly.js-cartesian-dist-min" {
  export interface Trace {
    type: "scatter" | "bar";
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

  export interface Plotly {
    react(
      element: HTMLElement,
      traces: Trace[],
      layout: Layout,
      config: Config,
    ): Promise<HTMLElement>;
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
