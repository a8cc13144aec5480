import { QueryClient } from "@tanstack/react-query";
import { asProblem } from "@/api/client";

const MOST_RETRIES = 2;

/** Retry only missing responses and server errors; a client error would be the same again. */
function worthRetrying(failures: number, error: unknown): boolean {
  const { status } = asProblem(error);
  return failures < MOST_RETRIES && (status === 0 || status >= 502);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      retry: worthRetrying,
      refetchOnWindowFocus: true,
      // Assay may run on this machine: without a network, requests must be sent, or fail visibly.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
