import type { Test } from "@/api/shapes";

/** "Write 4 × 2": a test's blocks × threads. */
export const matrixOf = ({ title, block, threads }: Test): string =>
  `${title} ${block.length}\u00a0×\u00a0${threads.length}`;
