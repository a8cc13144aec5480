import type { UseQueryResult } from "@tanstack/react-query";
import { Loading } from "./Loading";
import { ProblemPanel } from "./ProblemPanel";

type Props<T> = {
  query: UseQueryResult<T, Error>;
  /** What is being loaded, for screen readers: "hosts". */
  what: string;
  rows?: number;
  children: (data: T) => React.ReactNode;
};

/** A query's three faces: loading, refused, here. A failed refetch keeps the old picture and says so. */
export function Resolved<T>({ query, what, rows, children }: Props<T>) {
  if (query.data === undefined) {
    if (query.error) return <ProblemPanel error={query.error} retry={() => query.refetch()} />;
    return <Loading what={what} rows={rows} />;
  }
  return (
    <>
      {query.error ? <ProblemPanel error={query.error} retry={() => query.refetch()} /> : null}
      {children(query.data)}
    </>
  );
}
