/** The routes. Each page is a separate chunk. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from "@tanstack/react-router";
import { asProblem, whenSignedOut } from "@/api/client";
import { healthQuery, resultQuery, runQuery, runVerdictQuery, sessionQuery } from "@/api/queries";
import { NotFound, RootError, RouteError } from "./errorPages";
import { Root } from "./frame/Frame";
import { sessionEnded } from "./frame/sessionEnded";
import { queryClient } from "./queryClient";
import {
  accountsSearch,
  arraySearch,
  arraysSearch,
  auditSearch,
  campaignsSearch,
  compareSearch,
  credentialsSearch,
  deliveriesSearch,
  hostsSearch,
  hostWizardSearch,
  launchSearch,
  loginSearch,
  parseSearch,
  profilesSearch,
  resultSearch,
  runsSearch,
  schedulesSearch,
  stringifySearch,
  webhooksSearch,
} from "./search";

/**
 * Start loading everything that a result page shows while its own code is still loading: the run, its
 * verdict and result, and the parts of its kind: the code and the selected samples. The chart library
 * is not among them: running it takes longer than all else, and delays the answer above the chart.
 * Errors are ignored here; the page repeats the failed request and reports them.
 */
function askForResult(client: QueryClient, id: number, search: object): void {
  client
    .ensureQueryData(runQuery(id))
    .then((run) => (run.verdict ? client.prefetchQuery(runVerdictQuery(id)) : undefined))
    .catch(() => undefined);
  const registry = import("@/features/kinds/registry"); // not a part of the entry
  Promise.all([client.ensureQueryData(resultQuery(id)), registry])
    .then(([result, { kindOf }]) => {
      const kind = kindOf(result);
      return Promise.all([kind.Result.preload?.(), kind.prefetch(client, result, search)]);
    })
    .catch(() => undefined);
}

const OPEN_PATHS = new Set(["/login", "/setup"]);

const root = createRootRoute({
  component: Root,
  errorComponent: RootError,
  // A loader rather than beforeLoad: loaders of all routes run concurrently with this one.
  loader: async ({ location }) => {
    if (OPEN_PATHS.has(location.pathname)) return;
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (asProblem(error).status !== 401) throw error;
      const health = await queryClient.fetchQuery(healthQuery);
      if (health.setup_required) throw redirect({ to: "/setup" });
      throw redirect({ to: "/login", search: { next: location.href } });
    }
  },
});

const numericId = {
  params: {
    parse: ({ id }: { id: string }) => ({ id: Number(id) }),
    stringify: ({ id }: { id: number }) => ({ id: String(id) }),
  },
  beforeLoad: ({ params }: { params: { id: number } }) => {
    if (!Number.isSafeInteger(params.id) || params.id < 1) throw notFound();
  },
};

const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(() => import("@/features/overview/OverviewPage"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/campaigns",
    validateSearch: campaignsSearch,
    component: lazyRouteComponent(
      () => import("@/features/campaigns/CampaignsPage"),
      "CampaignsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/campaigns/$id",
    ...numericId,
    component: lazyRouteComponent(
      () => import("@/features/campaigns/CampaignPage"),
      "CampaignPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/runs",
    validateSearch: runsSearch,
    component: lazyRouteComponent(() => import("@/features/runs/RunsPage"), "RunsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/runs/$id",
    ...numericId,
    validateSearch: resultSearch,
    loader: ({ params, location }) => askForResult(queryClient, params.id, location.search),
    component: lazyRouteComponent(() => import("@/features/result/ResultPage"), "ResultPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/compare",
    validateSearch: compareSearch,
    component: lazyRouteComponent(() => import("@/features/compare/ComparePage"), "ComparePage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts",
    validateSearch: hostsSearch,
    component: lazyRouteComponent(() => import("@/features/hosts/HostsPage"), "HostsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts/new",
    validateSearch: hostWizardSearch,
    component: lazyRouteComponent(
      () => import("@/features/hosts/wizard/HostWizardPage"),
      "HostWizardPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts/$id",
    ...numericId,
    component: lazyRouteComponent(() => import("@/features/hosts/HostPage"), "HostPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/arrays",
    validateSearch: arraysSearch,
    component: lazyRouteComponent(() => import("@/features/arrays/ArraysPage"), "ArraysPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/arrays/$id",
    ...numericId,
    validateSearch: arraySearch,
    component: lazyRouteComponent(() => import("@/features/arrays/ArrayPage"), "ArrayPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/profiles",
    validateSearch: profilesSearch,
    component: lazyRouteComponent(() => import("@/features/profiles/ProfilesPage"), "ProfilesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/profiles/$id",
    ...numericId,
    component: lazyRouteComponent(() => import("@/features/profiles/ProfilePage"), "ProfilePage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/launch",
    validateSearch: launchSearch,
    component: lazyRouteComponent(() => import("@/features/launch/LaunchPage"), "LaunchPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    beforeLoad: () => {
      throw redirect({ to: "/settings/tokens" });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/users",
    validateSearch: accountsSearch,
    component: lazyRouteComponent(() => import("@/features/settings/UsersPage"), "UsersPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/tokens",
    validateSearch: accountsSearch,
    component: lazyRouteComponent(() => import("@/features/settings/TokensPage"), "TokensPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/credentials",
    validateSearch: credentialsSearch,
    component: lazyRouteComponent(
      () => import("@/features/settings/CredentialsPage"),
      "CredentialsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/tools",
    component: lazyRouteComponent(() => import("@/features/settings/ToolsPage"), "ToolsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/audit",
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import("@/features/settings/AuditPage"), "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/webhooks",
    validateSearch: webhooksSearch,
    component: lazyRouteComponent(
      () => import("@/features/settings/webhooks/WebhookPages"),
      "WebhooksPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/schedules",
    validateSearch: schedulesSearch,
    component: lazyRouteComponent(
      () => import("@/features/schedules/SchedulesPage"),
      "SchedulesPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/webhooks/$id",
    ...numericId,
    validateSearch: deliveriesSearch,
    component: lazyRouteComponent(
      () => import("@/features/settings/webhooks/WebhookPages"),
      "WebhookPage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/schedules/$id",
    ...numericId,
    component: lazyRouteComponent(
      () => import("@/features/schedules/SchedulePage"),
      "SchedulePage",
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/storage",
    component: lazyRouteComponent(() => import("@/features/settings/StoragePage"), "StoragePage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings/files",
    component: lazyRouteComponent(() => import("@/features/settings/FilesPage"), "FilesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: loginSearch,
    component: lazyRouteComponent(() => import("@/features/auth/SignInPages"), "LoginPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/setup",
    component: lazyRouteComponent(() => import("@/features/auth/SignInPages"), "SetupPage"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

whenSignedOut(() => {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return; // already signed out
  sessionEnded.set(true);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
