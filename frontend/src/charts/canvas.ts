/** Load the code that draws charts: a large chunk of its own, so start early where a chart will be shown. */
export const loadCanvas = () => import("./PlotlyCanvas");
