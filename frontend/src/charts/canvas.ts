/** Load the code that draws charts: a large separate chunk, which takes long to run. */
export const loadCanvas = () => import("./PlotlyCanvas");

/** Call `act` once what the page shows by now is painted; returns what cancels that. */
export function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
