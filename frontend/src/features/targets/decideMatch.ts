import { api, unwrap } from "@/api/client";
import type { Match } from "@/api/shapes";

type Subject = Pick<Match, "of" | "id">;

/** Stores whether a host, target or array is the same as a deleted one. */
export function decideMatch({ of, id }: Subject, earlier: number, same: boolean) {
  const body = { same };
  if (of === "host") {
    const path = { host_id: id, earlier_host_id: earlier };
    const url = "/api/v1/hosts/{host_id}/matches/{earlier_host_id}";
    return unwrap(api.PUT(url, { params: { path }, body }));
  }
  if (of === "array") {
    const path = { array_id: id, earlier_array_id: earlier };
    const url = "/api/v1/arrays/{array_id}/matches/{earlier_array_id}";
    return unwrap(api.PUT(url, { params: { path }, body }));
  }
  const path = { target_id: id, earlier_id: earlier };
  return unwrap(
    api.PUT("/api/v1/targets/{target_id}/matches/{earlier_id}", { params: { path }, body }),
  );
}

/** Withdraws the decision, so that the match is proposed again. */
export function undoMatch({ of, id }: Subject, earlier: number) {
  if (of === "host") {
    const path = { host_id: id, earlier_host_id: earlier };
    const url = "/api/v1/hosts/{host_id}/matches/{earlier_host_id}";
    return unwrap(api.DELETE(url, { params: { path } }));
  }
  if (of === "array") {
    const path = { array_id: id, earlier_array_id: earlier };
    const url = "/api/v1/arrays/{array_id}/matches/{earlier_array_id}";
    return unwrap(api.DELETE(url, { params: { path } }));
  }
  const path = { target_id: id, earlier_id: earlier };
  return unwrap(
    api.DELETE("/api/v1/targets/{target_id}/matches/{earlier_id}", { params: { path } }),
  );
}
