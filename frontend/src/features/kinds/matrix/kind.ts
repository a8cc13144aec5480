import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { defaultsOf, parametersOfKind } from "@/features/parameters/declared";
import { FileCatalystWords } from "./FileCatalystWords";
import { cellName, type MatrixTest } from "./matrix";
import { placeWords } from "./matrixGrid";

/** Block sizes × threads, each cell repeated, written or read. */
export const matrix: TestKind<"matrix"> = {
  name: "matrix",
  label: "Matrix",
  question: "Which settings are best?",
  answer: "Block sizes and threads, written or read, each cell repeated.",
  ...parametersOfKind("matrix"),
  initial: {
    ...defaultsOf("matrix"),
    kind: "matrix",
    operation: "write",
    title: "Write",
    block: [65_536, 262_144, 1_048_576],
    threads: [1, 2, 4],
    file_size: "min(1 GB, free / 10)",
    cache: "direct_if_real",
    repeats: 3,
  } as MatrixTest,
  ParameterNotes: FileCatalystWords,
  brief: ({ title, block, threads }) =>
    `${title}: ${block.length}\u00a0×\u00a0${threads.length} cells`,
  trialWords: placeWords,
  Live: lazyRouteComponent(() => import("./LiveMatrix"), "LiveMatrix"),
  Result: lazyRouteComponent(() => import("./result/MatrixResult"), "MatrixResult"),
  prefetch: async (...what) => (await import("./result/cellSamples")).prefetchCell(...what),
  evidence: ({ parameters: { block, threads } = {} }): Record<string, string> =>
    block === undefined || threads === undefined ? {} : { cell: cellName({ block, threads }) },
  downloads: { csv: "the matrix, one row per cell", json: "the matrix with all trials" },
  Comparison: lazyRouteComponent(() => import("./compare/MatrixComparison"), "MatrixComparison"),
};
