import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { OPERATION } from "@/features/parameters/shared";
import { FileCatalystWords } from "./FileCatalystWords";
import { headlineWords, withoutFigure } from "./headline";
import { placeWords } from "./matrixGrid";
import { GROUPS } from "./parameters";
import { cellName } from "./reading";

/** Block sizes × threads, each cell repeated, written or read. */
export const matrix: TestKind<"matrix"> = {
  name: "matrix",
  label: "Matrix",
  fixed: [OPERATION],
  groups: GROUPS,
  initial: {
    kind: "matrix",
    operation: "write",
    title: "Write",
    block: [65_536, 262_144, 1_048_576],
    threads: [1, 2, 4],
    files: 1,
    file_size: "min(1 GB, free / 10)",
    layout: "fresh",
    cache: "direct_if_real",
    open_mode: "rw",
    timeout_ms: 60_000,
    sync_timeout_ms: 600_000,
    repeats: 3,
    sample_ms: 1000,
    order: "shuffled",
  },
  ParameterNotes: FileCatalystWords,
  brief: ({ title, block, threads }) =>
    `${title}: ${block.length}\u00a0×\u00a0${threads.length} cells`,
  trialWords: placeWords,
  headline: headlineWords,
  headlineRest: withoutFigure,
  Live: lazyRouteComponent(() => import("./LiveMatrix"), "LiveMatrix"),
  Result: lazyRouteComponent(() => import("./result/MatrixResult"), "MatrixResult"),
  prefetch: async (...what) => (await import("./result/cellSamples")).prefetchCell(...what),
  evidence: ({ parameters: { block, threads } = {} }): Record<string, string> =>
    block === undefined || threads === undefined ? {} : { cell: cellName({ block, threads }) },
  downloads: { csv: "the matrix, one row per cell", json: "the matrix with all trials" },
  Comparison: lazyRouteComponent(() => import("./compare/MatrixComparison"), "MatrixComparison"),
};
