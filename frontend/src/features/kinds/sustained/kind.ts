import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { defaultsOf, parametersOfKind } from "@/features/parameters/declared";
import type { Parameter } from "@/features/parameters/parameters";
import { fileSizeText } from "@/features/parameters/parse";
import { PRESET_CHOICES, presetTexts } from "./presets";
import { type SustainedTest, trialWords } from "./sustained";

/** Fills the fields of pacing. */
const PRESET: Parameter = {
  name: "pacing_preset",
  label: "Pacing preset",
  help: "Fills the fields below with the rate of a line or a camera.",
  choices: PRESET_CHOICES,
  wide: true,
  text: () => "",
  parse: () => ({ error: "Select a preset to fill the fields below." }),
  fills: presetTexts,
};

/** Long writes or reads, paced or not. */
export const sustained: TestKind<"sustained"> = {
  name: "sustained",
  label: "Sustained",
  question: "Does it keep its speed?",
  answer: "Long writes and reads: full caches, stalls and cliffs.",
  ...parametersOfKind("sustained", { above: { pace: PRESET } }),
  initial: {
    ...defaultsOf("sustained"),
    kind: "sustained",
    title: "Sustained write",
    length: "2 * ram",
  } as SustainedTest,
  brief: ({ title, length }) => `${title}: ${fileSizeText(length)}`,
  trialWords: (parameters) => trialWords(parameters),
  Live: lazyRouteComponent(() => import("./LiveSustained"), "LiveSustained"),
  Result: lazyRouteComponent(() => import("./result/SustainedResult"), "SustainedResult"),
  prefetch: async (...what) => (await import("./result/trialSeries")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial", json: "all trials, buffers and slowest operations" },
  Comparison: lazyRouteComponent(
    () => import("./compare/SustainedComparison"),
    "SustainedComparison",
  ),
};
