import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { fileSizeText } from "@/features/parameters/parse";
import { headlineWords, trialWords, withoutFigure } from "./headline";
import { GROUPS } from "./parameters";
import { legsText } from "./parse";

/** Data from a source to a sink, and what its parts reach by themselves. */
export const path: TestKind<"path"> = {
  name: "path",
  label: "Path",
  transfers: {
    severalSources: true,
    severalSinks: true,
    arrangements: ["together", "scale_out", "mesh"],
  },
  fixed: [],
  groups: GROUPS,
  initial: {
    kind: "path",
    title: "Path",
    legs: ["read", "memory", "write", "disk"],
    length: "min(2 * ram, free / 4)",
    small_files: 0,
    small_file_bytes: 4096,
    duration_ms: 10_000,
    ramp_ms: 0,
    block: [1_048_576],
    streams: [4],
    threads_per_device: 1,
    ring_bytes: 0,
    socket_buffer_bytes: 0,
    congestion_control: null,
    pacing_bytes_per_s: 0,
    family: "any",
    listener: "receiver",
    port: 0,
    last_port: 0,
    source_address: null,
    sink_address: null,
    source_cache: "direct_if_real",
    sink_cache: "direct_if_real",
    source_cpus: null,
    sink_cpus: null,
    full_duplex: false,
    integrity: "none",
    timeout_ms: 3_600_000,
    sync_timeout_ms: 600_000,
    repeats: 3,
    sample_ms: 1000,
    order: "shuffled",
  },
  brief: ({ title, legs, length }) => `${title}: ${legsText(legs ?? [])}, ${fileSizeText(length)}`,
  trialWords,
  headline: headlineWords,
  headlineRest: withoutFigure,
  Live: lazyRouteComponent(() => import("./LivePath"), "LivePath"),
  Result: lazyRouteComponent(() => import("./result/PathResult"), "PathResult"),
  prefetch: async (...what) => (await import("./result/pathSamples")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial and pair", json: "all legs, settings and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/PathComparison"), "PathComparison"),
};
