import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";

export type Share = components["schemas"]["ShareLinkOut"];
export type NewShare = components["schemas"]["NewShareLink"];

/** The newest links; with those that expired or were revoked. */
export const sharesQuery = (campaignId: number) =>
  queryOptions({
    queryKey: ["shares", campaignId],
    queryFn: async () => {
      const page = await unwrap(
        api.GET("/api/v1/campaigns/{campaign_id}/shares", {
          params: { path: { campaign_id: campaignId }, query: { limit: 200 } },
        }),
      );
      return page.items as Share[];
    },
  });

/** The address that others open. */
export const linkOf = ({ path }: Pick<NewShare, "path">): string =>
  new URL(path, location.origin).href;

export const reportAddress = (campaignId: number, hidesIdentifiers: boolean): string =>
  `/api/v1/campaigns/${campaignId}/report.html${hidesIdentifiers ? "?hide_identifiers=true" : ""}`;
