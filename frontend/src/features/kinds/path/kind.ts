import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { defaultsOf, parametersOfKind } from "@/features/parameters/declared";
import { fileSizeText } from "@/features/parameters/parse";
import { LEGS_FORMAT, legsText, type PathTest, trialWords } from "./path";

/** Data from a source to a sink, and what its parts reach by themselves. */
export const path: TestKind<"path"> = {
  name: "path",
  label: "Path",
  question: "What limits this transfer?",
  answer: "From a source to a sink, and each part by itself.",
  ...parametersOfKind("path", { formats: { legs: LEGS_FORMAT } }),
  transfers: {
    severalSources: true,
    severalSinks: true,
    arrangements: ["together", "scale_out", "mesh"],
  },
  initial: {
    ...defaultsOf("path"),
    kind: "path",
    title: "Path",
    length: "min(2 * ram, free / 4)",
  } as PathTest,
  brief: ({ title, legs, length }) => `${title}: ${legsText(legs ?? [])}, ${fileSizeText(length)}`,
  trialWords,
  Live: lazyRouteComponent(() => import("./LivePath"), "LivePath"),
  Result: lazyRouteComponent(() => import("./result/PathResult"), "PathResult"),
  prefetch: async (...what) => (await import("./result/pathSamples")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial and pair", json: "all legs, settings and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/PathComparison"), "PathComparison"),
};
