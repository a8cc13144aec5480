import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { fileSizeText } from "@/features/parameters/parse";
import { headlineWords, trialWords, withoutFigure } from "./headline";
import { GROUPS } from "./parameters";

/** The same input, moved by other programs. */
export const tool: TestKind<"tool"> = {
  name: "tool",
  label: "Tool",
  isObserved: true,
  transfers: { severalSources: false, severalSinks: false, arrangements: ["together"] },
  fixed: [],
  groups: GROUPS,
  initial: {
    kind: "tool",
    title: "Tools",
    tools: ["rsync-ssh"],
    length: "min(2 * ram, free / 4)",
    files: [100],
    record_bytes: 1024,
    duration_ms: 10_000,
    family: "any",
    port: 0,
    source_address: null,
    sink_address: null,
    timeout_ms: 3_600_000,
    sync_timeout_ms: 600_000,
    repeats: 3,
    sample_ms: 1000,
    order: "shuffled",
  },
  LaunchSection: lazyRouteComponent(() => import("./ToolChoice"), "ToolChoice"),
  brief: ({ title, tools, length }) => `${title}: ${tools.join(", ")}, ${fileSizeText(length)}`,
  trialWords,
  headline: headlineWords,
  headlineRest: withoutFigure,
  Live: lazyRouteComponent(() => import("./LiveTools"), "LiveTools"),
  Result: lazyRouteComponent(() => import("./result/ToolResult"), "ToolResult"),
  prefetch: async (...what) => (await import("./result/toolSamples")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial", json: "all tools and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/ToolComparison"), "ToolComparison"),
};
