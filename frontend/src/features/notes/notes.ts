import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";

export type Notes = components["schemas"]["NotesOut"];
type NotesIn = components["schemas"]["NotesIn"];

/** What notes can be on. */
export type Noted = { kind: "campaign" | "run" | "array"; id: number };

export const notesQuery = (of: Noted) =>
  queryOptions({ queryKey: ["notes", of.kind, of.id], queryFn: () => getNotes(of) });

function getNotes({ kind, id }: Noted): Promise<Notes> {
  switch (kind) {
    case "campaign":
      return unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/notes", { params: { path: { campaign_id: id } } }),
      );
    case "run":
      return unwrap(api.GET("/api/v1/runs/{run_id}/notes", { params: { path: { run_id: id } } }));
    case "array":
      return unwrap(
        api.GET("/api/v1/arrays/{array_id}/notes", { params: { path: { array_id: id } } }),
      );
  }
}

export function putNotes({ kind, id }: Noted, body: NotesIn): Promise<Notes> {
  switch (kind) {
    case "campaign":
      return unwrap(
        api.PUT("/api/v1/campaigns/{campaign_id}/notes", {
          params: { path: { campaign_id: id } },
          body,
        }),
      );
    case "run":
      return unwrap(
        api.PUT("/api/v1/runs/{run_id}/notes", { params: { path: { run_id: id } }, body }),
      );
    case "array":
      return unwrap(
        api.PUT("/api/v1/arrays/{array_id}/notes", { params: { path: { array_id: id } }, body }),
      );
  }
}
