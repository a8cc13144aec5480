/**
 * The interface of a test kind for the pages. Each kind has a folder next to this file and a line
 * in `registry.ts`.
 */
import type { QueryClient } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import type {
  Comparison,
  Result,
  Run,
  RunSummary,
  Test,
  TrialParameters,
  VerdictRow,
} from "@/api/shapes";
import type { Parameter, ParameterGroup, Texts } from "@/features/parameters/parameters";
import type { EndLimits, KnownEnd } from "@/features/transfers/ends";

export type KindName = Test["kind"];

/** The member of a union of all kinds that belongs to kind `K`. */
export type Of<K extends KindName, Union extends { kind: string }> = Extract<Union, { kind: K }>;

export interface ResultProps {
  result: Result;
  run: Run;
  /** The run has ended. */
  ended: boolean;
  /** Notices about the run, directly below the answer. */
  children: ReactNode;
}

export interface LaunchSectionProps {
  /** What the field of a parameter has, else the profile. */
  value(parameter: string): string;
  onChange(texts: Texts): void;
  /** The selected ends. */
  sources: readonly KnownEnd[];
  sinks: readonly KnownEnd[];
}

/** Code that is loaded on demand and can be preloaded. */
type OnDemand<Props> = ComponentType<Props> & { preload?: () => Promise<unknown> | undefined };

export interface TestKind<K extends KindName = KindName> {
  name: K;
  /** Its display name. */
  label: string;
  /** The question that its tests answer, and what they do for that. */
  question: string;
  answer: string;
  /** Its tests move data between these ends; those of other kinds measure targets. */
  transfers?: EndLimits;
  /**
   * Another program moves the data: only what grows at the sink is seen, and none of its operations.
   */
  isObserved?: true;

  /**
   * The parameters that make one test of a profile differ from the others; no launch overrides
   * them.
   */
  fixed: Parameter<Of<K, Test>>[];
  /** All other parameters, as the launch form and the profile editor show them. */
  groups: ParameterGroup<Of<K, Test>>[];
  /** A new test in the profile editor. */
  initial: Of<K, Test>;
  /** What a launch selects besides its parameters' fields, above these. */
  LaunchSection?: OnDemand<LaunchSectionProps>;
  /** Explanations below the launch form's parameters. */
  ParameterNotes?: ComponentType;
  /** A summary of a test, for lists of profiles. */
  brief(test: Of<K, Test>): string;

  /** A summary of a trial's parameters. */
  trialWords(parameters: Of<K, TrialParameters>): string;

  /** A run as far as it is measured, on the campaign page and, `compact`, on the overview. */
  Live: OnDemand<{ run: RunSummary; compact?: boolean }>;
  /** The result page between its title and the conditions. */
  Result: OnDemand<ResultProps>;
  /** Start loading what the result page shows of this result; `search` is the page's address. */
  prefetch(client: QueryClient, result: Of<K, Result>, search: object): Promise<unknown>;
  /** The search parameters with which the result page shows a verdict's evidence. */
  evidence(location: VerdictRow["evidence"]): Record<string, string>;
  /** What the result's downloads contain. */
  downloads: { csv: string; json: string };
  /** The Compare page below the configuration differences; all runs are of this kind. */
  Comparison: OnDemand<{ comparison: Comparison }>;
}
