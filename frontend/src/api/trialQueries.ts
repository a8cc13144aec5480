/** The queries of what was measured over the course of a trial. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrapAs } from "./client";
import type { Links, Marks, Samples } from "./shapes";

/** A window of a trial, in nanoseconds or bytes since its start. */
export interface TrialWindow {
  from: number;
  to: number;
}

interface SamplesWanted {
  points?: number;
  window?: TrialWindow | undefined;
  /** A participant of the run; by default the first one. */
  participant?: number | undefined;
}

export const samplesQuery = (
  trialId: number,
  { points = 600, window, participant }: SamplesWanted = {},
) =>
  queryOptions({
    queryKey: ["trials", trialId, "samples", points, window ?? null, participant ?? null],
    queryFn: () =>
      unwrapAs<Samples>(
        api.GET("/api/v1/trials/{trial_id}/samples", {
          params: { path: { trial_id: trialId }, query: { points, participant, ...window } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** A trial's figures over its data; the window is in bytes since its start. */
export const marksQuery = (
  trialId: number,
  { points = 600, window, participant }: SamplesWanted = {},
) =>
  queryOptions({
    queryKey: ["trials", trialId, "marks", points, window ?? null, participant ?? null],
    queryFn: () =>
      unwrapAs<Marks>(
        api.GET("/api/v1/trials/{trial_id}/marks", {
          params: { path: { trial_id: trialId }, query: { points, participant, ...window } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The streams and the pipeline of a trial's transfer at one end; the window is in nanoseconds. */
export const linksQuery = (
  trialId: number,
  { points = 600, window, participant }: SamplesWanted = {},
) =>
  queryOptions({
    queryKey: ["trials", trialId, "links", points, window ?? null, participant ?? null],
    queryFn: () =>
      unwrapAs<Links>(
        api.GET("/api/v1/trials/{trial_id}/links", {
          params: { path: { trial_id: trialId }, query: { points, participant, ...window } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
