import { QueryClient } from "@tanstack/react-query";
import { asProblem } from "@/api/problem";

const MOST_RETRIES = 2;

/** Only silence and server faults are worth another try: a refusal stays a refusal. */
function worthRetrying(failures: number, error: unknown): boolean {
  const { status } = asProblem(error);
  return failures < MOST_RETRIES && (status === 0 || status >= 502);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 2000, retry: worthRetrying, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
