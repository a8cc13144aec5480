import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { defaultsOf, parametersOfKind } from "@/features/parameters/declared";
import { fileSizeText } from "@/features/parameters/parse";
import { TOOLS_FORMAT, type ToolTest, trialWords } from "./tool";

/** The same input, moved by other programs. */
export const tool: TestKind<"tool"> = {
  name: "tool",
  label: "Tool",
  question: "How does another program do?",
  answer: "Another program, such as rsync, moves the data; Assay observes it.",
  ...parametersOfKind("tool", { formats: { tools: TOOLS_FORMAT } }),
  isObserved: true,
  transfers: { severalSources: false, severalSinks: false, arrangements: ["together"] },
  initial: {
    ...defaultsOf("tool"),
    kind: "tool",
    title: "Tools",
    tools: ["rsync-ssh"],
    length: "min(2 * ram, free / 4)",
  } as ToolTest,
  LaunchSection: lazyRouteComponent(() => import("./ToolChoice"), "ToolChoice"),
  brief: ({ title, tools, length }) => `${title}: ${tools.join(", ")}, ${fileSizeText(length)}`,
  trialWords,
  Live: lazyRouteComponent(() => import("./LiveTools"), "LiveTools"),
  Result: lazyRouteComponent(() => import("./result/ToolResult"), "ToolResult"),
  prefetch: async (...what) => (await import("./result/toolSamples")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial", json: "all tools and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/ToolComparison"), "ToolComparison"),
};
