import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { hostQuery } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useWrite } from "@/api/useWrite";

/** Put a host that the API just returned into the cache, where all pages find it. */
export function useCacheHost(): (host: Host) => void {
  const queryClient = useQueryClient();
  return (host) => {
    queryClient.setQueryData(hostQuery(host.id).queryKey, host);
    void queryClient.invalidateQueries({ queryKey: ["hosts", host.id, "inventory"] });
  };
}

/** Start a check of a host; its progress is part of the host. */
export function useHostCheck() {
  return useWrite(
    "hosts",
    (id: number) =>
      unwrap(
        api.POST("/api/v1/hosts/{host_id}/check", {
          params: { path: { host_id: id }, query: { wait: 1 } },
        }),
      ),
    useCacheHost(),
  );
}

/** Approve the offered host key by its fingerprint, then start a check. */
export function useApproveKey(id: number) {
  const check = useHostCheck();
  return useWrite("hosts", async (fingerprint: string) => {
    await unwrap(
      api.POST("/api/v1/hosts/{host_id}/host-key", {
        params: { path: { host_id: id } },
        body: { fingerprint },
      }),
    );
    return check.mutateAsync(id);
  });
}
