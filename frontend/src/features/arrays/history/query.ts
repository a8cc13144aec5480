import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { ArrayHistory } from "@/api/shapes";

/** What names a test in the address: `acceptance/matrix/Write`. */
export const testKey = ({ profile, kind, title }: TestName): string =>
  [profile, kind, title].join("/");

type TestName = Pick<NonNullable<ArrayHistory["test"]>, "profile" | "kind" | "title">;

/** The test that an address names; a title may have slashes. */
export function testOf(key: string | undefined): TestName | null {
  const [profile, kind, ...title] = (key ?? "").split("/");
  return profile && kind && title.length > 0 ? { profile, kind, title: title.join("/") } : null;
}

/** The history of an array, of one of its tests or of the most measured one. */
export const arrayHistoryQuery = (id: number, test: TestName | null) =>
  queryOptions({
    queryKey: ["history", id, test && testKey(test)],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/arrays/{array_id}/history", {
          params: { path: { array_id: id }, query: { ...test } as object },
        }),
      ),
  });
