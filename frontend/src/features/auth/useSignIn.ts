import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { rememberCsrf } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import type { Session } from "@/api/shapes";

/** Starts a session in the way given, then goes on to the page that was asked for. */
export function useSignIn<Input>(start: (input: Input) => Promise<Session>, next = "/") {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: start,
    onSuccess: (session) => {
      rememberCsrf(session.csrf);
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      router.history.push(next);
    },
  });
}
