/** The code that draws: large, and so a chunk of its own. Who knows that a chart will come calls it early. */
export const loadCanvas = () => import("./PlotlyCanvas");
