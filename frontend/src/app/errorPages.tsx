import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { PageHeader } from "@/components/page/Page";
import { AuthLayout } from "@/features/auth/AuthLayout";

/** Shown for an address without a page. */
export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <Empty title="No page at this address">
        The link may be outdated or mistyped. <Link to="/">Go to the overview</Link>, or press{" "}
        <kbd>/</kbd> to search.
      </Empty>
    </>
  );
}

/** Shown in place of a page that failed to load or render. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ProblemPanel
      error={error}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}

/** Shown instead of the whole frame if the session could not be loaded. */
export function RootError(props: ErrorComponentProps) {
  return (
    <AuthLayout title="Assay cannot be opened">
      <RouteError {...props} />
    </AuthLayout>
  );
}
