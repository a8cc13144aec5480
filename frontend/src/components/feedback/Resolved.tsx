import { useState } from "react";
import classes from "./Feedback.module.css";
import { ProblemPanel } from "./ProblemPanel";

/** What is used of a query, whether or not it has pages. */
type Query<T> = {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  errorUpdateCount: number;
  refetch: () => unknown;
};

type Props<T> = {
  query: Query<T>;
  /** What is being loaded, for screen readers: "hosts". */
  what: string;
  rows?: number;
  /** A link to show if the object does not exist. */
  elsewhere?: React.ReactNode;
  children: (data: T) => React.ReactNode;
};

/**
 * Show a query as loading, failed or loaded. A failed refetch keeps the data, and a refetch after a
 * failure keeps the error: TanStack Query clears it, and the list would alternate with its skeleton.
 */
export function Resolved<T>({ query, what, rows, elsewhere, children }: Props<T>) {
  const error = useLastingError(query);
  const problem = error ? (
    <ProblemPanel error={error} retry={() => query.refetch()} elsewhere={elsewhere} />
  ) : null;
  if (query.data === undefined) return problem ?? <Loading what={what} rows={rows} />;
  return (
    <>
      {problem}
      {children(query.data)}
    </>
  );
}

/** Whether a query has neither succeeded nor failed yet. */
export const isFirstLoad = ({
  isLoading,
  errorUpdateCount,
}: {
  isLoading: boolean;
  errorUpdateCount: number;
}): boolean => isLoading && errorUpdateCount === 0;

/** The error until the query succeeds; another query, which never failed, does not inherit it. */
function useLastingError<T>({ error, isPending, errorUpdateCount }: Query<T>) {
  const [last, setLast] = useState<Error | null>(null);
  const lasting = error ?? (isPending && errorUpdateCount > 0 ? last : null);
  if (lasting !== last) setLast(lasting);
  return lasting;
}

/** Placeholder rows with the height of the content that is loading. */
export function Loading({ rows = 4, what }: { rows?: number; what: string }) {
  return (
    <div className={classes.loading} role="status">
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no identity
        <div key={row} className={classes.row} style={{ width: `${92 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/**
 * Whether a page was ready once: it waits for all its parts when it opens, so that none shifts the
 * others, but never disappears again for a part that is added later. `page` tells pages apart.
 */
export function useOnceReady(page: number, ready: boolean): boolean {
  const [shown, setShown] = useState<number | null>(null);
  if (ready && shown !== page) setShown(page);
  return ready || shown === page;
}
