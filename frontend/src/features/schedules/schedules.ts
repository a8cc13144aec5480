/** The queries of schedules. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Page, Schedule } from "@/api/shapes";

/** How often pages look for new firings, in ms. */
export const REFRESH_MS = 5000;

export const scheduleQuery = (id: number) =>
  queryOptions({
    queryKey: ["schedules", id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/schedules/{schedule_id}", { params: { path: { schedule_id: id } } }),
      ) as Promise<Schedule>,
    refetchInterval: REFRESH_MS,
  });

/** What became of the fire times of a schedule, newest first. */
export const firingsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["schedules", id, "firings"],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/schedules/{schedule_id}/firings", {
          params: { path: { schedule_id: id }, query: { cursor: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Page<unknown>) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
