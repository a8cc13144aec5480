import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { hostQuery } from "@/api/queries";
import type { Host } from "@/api/shapes";

/** Keeps a host that the server just returned where every page finds it. */
export function useKeepHost(): (host: Host) => void {
  const queryClient = useQueryClient();
  return (host) => {
    queryClient.setQueryData(hostQuery(host.id).queryKey, host);
    void queryClient.invalidateQueries({ queryKey: ["hosts"], exact: true });
    void queryClient.invalidateQueries({ queryKey: ["hosts", host.id, "inventory"] });
  };
}

/** Asks the worker to look at the host; its progress comes with the host itself. */
export function useHostCheck() {
  const keep = useKeepHost();
  return useMutation({
    mutationFn: (id: number) =>
      unwrap(
        api.POST("/api/v1/hosts/{host_id}/check", {
          params: { path: { host_id: id }, query: { wait: 1 } },
        }),
      ),
    onSuccess: keep,
  });
}

/** Approves the key that the host offered, by its fingerprint, then logs in and looks around. */
export function useApproveKey(id: number) {
  const check = useHostCheck();
  return useMutation({
    mutationFn: async (fingerprint: string) => {
      await unwrap(
        api.POST("/api/v1/hosts/{host_id}/host-key", {
          params: { path: { host_id: id } },
          body: { fingerprint },
        }),
      );
      return check.mutateAsync(id);
    },
  });
}
