/** The queries of all pages. `useWrite` invalidates them by the first element of their keys. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, rememberCsrf, unwrap, unwrapAs } from "./client";
import { type ListSearch, listParameters } from "./listSearch";
import type { paths } from "./schema";
import type {
  AuditEntry,
  Campaign,
  Credential,
  Host,
  Inventory,
  Page,
  Profile,
  RunState,
  RunSummary,
  Schedule,
  StorageArray,
  Token,
  User,
  ViewedList,
} from "./shapes";

/** The API's maximum page size. */
const LARGEST_PAGE = 200;

type PageQuery = { limit: number; cursor: string | undefined };

/** Fetch all pages of a list, for searching, sorting and selecting. */
async function everyPage<T>(fetchPage: (query: PageQuery) => Promise<Page<T>>): Promise<Page<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage({ limit: LARGEST_PAGE, cursor });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { items, next_cursor: null };
}

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => unwrap(api.GET("/api/v1/health")),
});

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    const session = await unwrap(api.GET("/api/v1/session"));
    rememberCsrf(session.csrf);
    return session;
  },
  staleTime: 5 * 60_000,
  retry: false,
});

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => unwrap(api.GET("/api/v1/overview")),
  refetchInterval: 2000,
});

export const hostsQuery = queryOptions({
  queryKey: ["hosts"],
  queryFn: () => everyPage((query) => unwrap(api.GET("/api/v1/hosts", { params: { query } }))),
});

/** Whether a check of the host is queued or running. */
export const isChecking = (host: Host | undefined): boolean =>
  host?.check?.state === "queued" || host?.check?.state === "running";

export const hostQuery = (id: number) =>
  queryOptions({
    queryKey: ["hosts", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/hosts/{host_id}", { params: { path: { host_id: id } } })),
    refetchInterval: (query) => (isChecking(query.state.data) ? 700 : false),
  });

export const inventoryQuery = (id: number) =>
  queryOptions({
    queryKey: ["hosts", id, "inventory"],
    queryFn: () =>
      unwrapAs<Inventory>(
        api.GET("/api/v1/hosts/{host_id}/inventory", { params: { path: { host_id: id } } }),
      ),
  });

export const targetsQuery = (hostId?: number) =>
  queryOptions({
    queryKey: ["targets", { hostId }],
    queryFn: () =>
      everyPage((query) =>
        unwrap(
          api.GET("/api/v1/targets", {
            params: { query: { ...query, host_id: hostId } },
          }),
        ),
      ),
  });

export const arraysQuery = queryOptions({
  queryKey: ["arrays"],
  queryFn: () => everyPage((query) => unwrap(api.GET("/api/v1/arrays", { params: { query } }))),
});

export const arrayQuery = (id: number) =>
  queryOptions({
    queryKey: ["arrays", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/arrays/{array_id}", { params: { path: { array_id: id } } })),
  });

export const targetsOfArrayQuery = (arrayId: number) =>
  queryOptions({
    queryKey: ["targets", { arrayId }],
    queryFn: () =>
      everyPage((query) =>
        unwrap(api.GET("/api/v1/targets", { params: { query: { ...query, array_id: arrayId } } })),
      ),
  });

export const credentialsQuery = queryOptions({
  queryKey: ["credentials"],
  queryFn: () =>
    everyPage((query) => unwrap(api.GET("/api/v1/credentials", { params: { query } }))),
});

export const toolsQuery = queryOptions({
  queryKey: ["tools"],
  queryFn: () => everyPage((query) => unwrap(api.GET("/api/v1/tools", { params: { query } }))),
});

export const profilesQuery = queryOptions({
  queryKey: ["profiles"],
  queryFn: () => everyPage((query) => unwrap(api.GET("/api/v1/profiles", { params: { query } }))),
});

/** How far back the profiles that were used recently are looked for. */
const RECENT_CAMPAIGNS = 20;

/** When profiles were launched last, by their slugs. */
export const recentProfilesQuery = queryOptions({
  queryKey: ["campaigns", { recent: RECENT_CAMPAIGNS }],
  queryFn: async () => {
    const { items } = await unwrap(
      api.GET("/api/v1/campaigns", { params: { query: { limit: RECENT_CAMPAIGNS } } }),
    );
    // newest first: an earlier launch of a profile replaces nothing
    return new Map(items.toReversed().map(({ profile, created_at }) => [profile.slug, created_at]));
  },
});

export const profileQuery = (id: number) =>
  queryOptions({
    queryKey: ["profiles", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/profiles/{profile_id}", { params: { path: { profile_id: id } } })),
  });

export const profileVersionsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["profiles", { slug }],
    queryFn: () =>
      everyPage((query) =>
        unwrap(api.GET("/api/v1/profiles", { params: { query: { ...query, slug } } })),
      ),
  });

export const metricsQuery = queryOptions({
  queryKey: ["metrics"],
  queryFn: () => unwrap(api.GET("/api/v1/metrics")),
  staleTime: Number.POSITIVE_INFINITY,
});

export const campaignVerdictQuery = (id: number) =>
  queryOptions({
    queryKey: ["verdicts", "campaign", id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/verdict", {
          params: { path: { campaign_id: id } },
        }),
      ),
  });

/** `ended` is the number of runs that have ended: each adds to the table. */
export const scaleOutQuery = (id: number, ended: number) =>
  queryOptions({
    queryKey: ["campaigns", id, "scale-out", ended],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/scale-out", {
          params: { path: { campaign_id: id } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** `ended` is the number of runs that have ended: each fills a cell. */
export const meshQuery = (id: number, ended: number) =>
  queryOptions({
    queryKey: ["campaigns", id, "mesh", ended],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/mesh", {
          params: { path: { campaign_id: id } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const runVerdictQuery = (id: number) =>
  queryOptions({
    queryKey: ["verdicts", "run", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/runs/{run_id}/verdict", { params: { path: { run_id: id } } })),
  });

export const campaignQuery = (id: number) =>
  queryOptions({
    queryKey: ["campaigns", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/campaigns/{campaign_id}", { params: { path: { campaign_id: id } } })),
  });

export const runsQuery = (
  filter: { campaign_id?: number; host_id?: number; state?: RunState[] } = {},
) =>
  queryOptions({
    queryKey: ["runs", filter],
    queryFn: () =>
      unwrap(api.GET("/api/v1/runs", { params: { query: { limit: LARGEST_PAGE, ...filter } } })),
  });

export const runQuery = (id: number) =>
  queryOptions({
    queryKey: ["runs", id],
    queryFn: () => unwrap(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } } })),
  });

export const resultQuery = (runId: number) =>
  queryOptions({
    queryKey: ["runs", runId, "result"],
    queryFn: () =>
      unwrap(api.GET("/api/v1/runs/{run_id}/result", { params: { path: { run_id: runId } } })),
  });

/** The API's maximum number of compared runs. */
export const MOST_COMPARED = 12;

export const compareQuery = (runs: number[]) =>
  queryOptions({
    queryKey: ["compare", runs],
    queryFn: () =>
      unwrap(api.GET("/api/v1/compare", { params: { query: { runs: runs.join(",") } } })),
    enabled: runs.length > 0,
    placeholderData: keepPreviousData,
  });

type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? Query
  : never;

/**
 * The query of a list that the server filters, sorts and pages; `search` is that of the page's URL.
 * The server rejects values that it does not know.
 */
export const listQuery =
  <Path extends keyof paths, Row>(
    name: string,
    fetchPage: (query: QueryOf<Path>) => Promise<Page<Row>>,
  ) =>
  (search: ListSearch) =>
    infiniteQueryOptions({
      queryKey: ["lists", name, search],
      queryFn: ({ pageParam }) =>
        fetchPage({
          ...listParameters(search, new Date()),
          cursor: pageParam,
        } as unknown as QueryOf<Path>),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (last) => last.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
    });

export const campaignListQuery = listQuery<"/api/v1/campaigns", Campaign>("campaigns", (query) =>
  unwrap(api.GET("/api/v1/campaigns", { params: { query } })),
);

export const runListQuery = listQuery<"/api/v1/runs", RunSummary>("runs", (query) =>
  unwrap(api.GET("/api/v1/runs", { params: { query } })),
);

export const hostListQuery = listQuery<"/api/v1/hosts", Host>("hosts", (query) =>
  unwrap(api.GET("/api/v1/hosts", { params: { query } })),
);

export const arrayListQuery = listQuery<"/api/v1/arrays", StorageArray>("arrays", (query) =>
  unwrap(api.GET("/api/v1/arrays", { params: { query } })),
);

export const profileListQuery = listQuery<"/api/v1/profiles", Profile>("profiles", (query) =>
  unwrap(api.GET("/api/v1/profiles", { params: { query } })),
);

export const auditListQuery = listQuery<"/api/v1/audit", AuditEntry>("audit", (query) =>
  unwrap(api.GET("/api/v1/audit", { params: { query } })),
);

export const userListQuery = listQuery<"/api/v1/users", User>("users", (query) =>
  unwrap(api.GET("/api/v1/users", { params: { query } })),
);

export const tokenListQuery = listQuery<"/api/v1/tokens", Token>("tokens", (query) =>
  unwrap(api.GET("/api/v1/tokens", { params: { query } })),
);

export const credentialListQuery = listQuery<"/api/v1/credentials", Credential>(
  "credentials",
  (query) => unwrap(api.GET("/api/v1/credentials", { params: { query } })),
);

/** The user's views of a list, by name. */
export const savedViewsQuery = (list: ViewedList) =>
  queryOptions({
    queryKey: ["views", list],
    queryFn: async () => {
      const query = { list, limit: 100 };
      return (await unwrap(api.GET("/api/v1/views", { params: { query } }))).items;
    },
    staleTime: 60_000,
  });

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: () => unwrap(api.GET("/api/v1/search", { params: { query: { q } } })),
    enabled: q !== "",
  });

/** The request that launches a campaign again, or only what one of its runs measured. */
export const planQuery = (id: number, runId?: number) =>
  queryOptions({
    queryKey: ["campaigns", id, "plan", runId ?? null],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/plan", {
          params: { path: { campaign_id: id }, query: { run_id: runId } },
        }),
      ),
  });

/** The runs with which a run is most often compared. */
export const suggestionsQuery = (runId: number) =>
  queryOptions({
    queryKey: ["compare", "suggestions", runId],
    queryFn: () =>
      unwrap(api.GET("/api/v1/compare/suggestions", { params: { query: { run_id: runId } } })),
  });

/** Measured runs that match the words and compare with those of `beside`, newest first. */
export const candidatesQuery = (text: string, beside: readonly number[]) =>
  infiniteQueryOptions({
    queryKey: ["compare", "candidates", text, beside],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/compare/candidates", {
          params: {
            query: {
              cursor: pageParam,
              limit: 50,
              q: text.trim() || undefined,
              beside: beside.length > 0 ? beside.join(",") : undefined,
            },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** All schedules, for filters. */
export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: () => everyPage((query) => unwrap(api.GET("/api/v1/schedules", { params: { query } }))),
});

export const scheduleListQuery = listQuery<"/api/v1/schedules", Schedule>(
  "schedules",
  (query) => unwrap(api.GET("/api/v1/schedules", { params: { query } })) as Promise<Page<Schedule>>,
);
