/** For tests: the estimate of two runs on one target. */
import type { Estimate } from "@/api/shapes";

const run: Estimate["runs"][number] = {
  target_id: 7,
  host_id: 1,
  kind: "matrix",
  title: "Write",
  role: "writer",
  cells: 4,
  trials: 8,
  file_size: 1e9,
  bytes_written: 8e9,
  prepared_bytes: 0,
  peak_bytes: 1e9,
  free_after_bytes: 5e9,
  free_at: "2026-11-21T01:00:00Z",
  disk_threads: null,
  devices: [],
  shortest_s: 10,
  longest_s: 500,
};

export const estimate: Estimate = {
  cells: 4,
  trials: 8,
  bytes_written: 8e9,
  shortest_s: 10,
  longest_s: 500,
  expected: null,
  run_count: 2,
  runs: [run, { ...run, free_after_bytes: 4e9 }],
  hosts_busy: [],
  problems: [],
  warnings: [],
  fits: true,
};
