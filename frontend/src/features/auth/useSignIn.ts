import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { rememberCsrf } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import type { Session } from "@/api/shapes";

/** Start a session with `start`, then open the page that was requested. */
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
