import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { ArrayHistory } from "@/api/shapes";

/** The history of an array, of one of its tests or of the most measured one. */
export const arrayHistoryQuery = (id: number, test: ArrayHistory["test"]) =>
  queryOptions({
    queryKey: ["history", id, test && [test.profile, test.kind, test.title]],
    queryFn: () => {
      const query = test ? { profile: test.profile, kind: test.kind, title: test.title } : {};
      return unwrap(
        api.GET("/api/v1/arrays/{array_id}/history", {
          params: { path: { array_id: id }, query: query as object },
        }),
      );
    },
  });
