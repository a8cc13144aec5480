import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { SchedulePreview, Timetable } from "@/api/shapes";

/** How long input must pause before a request is sent. */
const PAUSE_MS = 250;

/** The next fire times of a timetable, or what is wrong with it, by field. */
export function usePreview(timetable: Timetable): {
  preview: SchedulePreview | undefined;
  errors: Record<string, string>;
  error: Error | null;
} {
  const [settled] = useDebouncedValue(JSON.stringify(timetable), PAUSE_MS);
  const { data, error } = useQuery({
    queryKey: ["schedules", "preview", settled],
    queryFn: () =>
      unwrap(api.POST("/api/v1/schedules/preview", { body: JSON.parse(settled) as Timetable })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  return {
    preview: error ? undefined : data,
    errors: error ? asProblem(error).fields : {},
    error,
  };
}
