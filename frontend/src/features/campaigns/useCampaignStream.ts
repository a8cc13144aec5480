import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { campaignQuery } from "@/api/queries";
import { samplesQuery } from "@/api/trialQueries";
import { type Feed, pointsOf } from "./feed";
import { CampaignStream } from "./stream";

/** A campaign's live feed; the query's cache follows it, so that other pages have the newest state. */
export function useCampaignStream(id: number): { feed: Feed; refresh: () => Promise<void> } {
  const client = useQueryClient();
  const stream = useMemo(
    () =>
      new CampaignStream({
        open: () => new EventSource(`/api/v1/campaigns/${id}/stream`),
        snapshot: () => client.fetchQuery({ ...campaignQuery(id), staleTime: 0 }),
        history: async (trialId, participant) =>
          pointsOf(
            await client.fetchQuery({ ...samplesQuery(trialId, { participant }), staleTime: 0 }),
          ),
      }),
    [client, id],
  );
  const feed = useSyncExternalStore(stream.subscribe, stream.current);
  const { campaign } = feed;
  useEffect(() => {
    if (campaign) client.setQueryData(campaignQuery(campaign.id).queryKey, campaign);
  }, [client, campaign]);
  return { feed, refresh: stream.refresh };
}
