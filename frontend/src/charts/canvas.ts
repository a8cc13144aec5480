/** Load the code that draws charts: a large separate chunk, so load it early. */
export const loadCanvas = () => import("./PlotlyCanvas");
