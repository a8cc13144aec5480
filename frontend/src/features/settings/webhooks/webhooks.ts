/** Webhooks as the API has them, their queries, and the words for their events. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { listQuery } from "@/api/queries";
import type { components } from "@/api/schema";

export type Webhook = components["schemas"]["WebhookOut"];
export type WebhookEvent = components["schemas"]["WebhookIn"]["events"][number];
export type Delivery = components["schemas"]["WebhookDeliveryOut"];
export type Attempt = components["schemas"]["WebhookAttemptOut"];

export const EVENTS: Record<WebhookEvent, { name: string; when: string }> = {
  "campaign.ended.v1": {
    name: "Campaign ended",
    when: "All runs have ended, and their results are stored.",
  },
  "run.judged.v1": {
    name: "Run verdict",
    when: "A run of a campaign with criteria has ended.",
  },
  "host.key_changed.v1": {
    name: "Host key changed",
    when: "A host shows another key than the approved one.",
  },
  "host.unreachable.v1": {
    name: "Host unreachable",
    when: "A host stops responding.",
  },
};

/** The name of an event in words; the test event has one as well. */
export const eventName = (event: string): string =>
  event === "webhook.test.v1" ? "Test" : (EVENTS[event as WebhookEvent]?.name ?? event);

export const webhookListQuery = listQuery<"/api/v1/webhooks", Webhook>("webhooks", (query) =>
  unwrap(api.GET("/api/v1/webhooks", { params: { query } })),
);

export const webhookQuery = (id: number) =>
  queryOptions({
    queryKey: ["webhooks", id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/webhooks/{webhook_id}", { params: { path: { webhook_id: id } } })),
  });

const POLL_MS = 2000;

/** The deliveries of a webhook; asked again while one of those shown is pending. */
export const deliveryListQuery = (id: number, search: Parameters<typeof webhookListQuery>[0]) => {
  const options = listQuery<"/api/v1/webhooks/{webhook_id}/deliveries", Delivery>(
    `deliveries ${id}`,
    (query) =>
      unwrap(
        api.GET("/api/v1/webhooks/{webhook_id}/deliveries", {
          params: { path: { webhook_id: id }, query },
        }),
      ),
  )(search);
  return {
    ...options,
    refetchInterval: (query: { state: { data?: { pages: { items: Delivery[] }[] } } }) =>
      query.state.data?.pages.some(({ items }) => items.some(({ state }) => state === "pending"))
        ? POLL_MS
        : false,
  };
};

/** A delivery with its body and attempts. */
export const deliveryQuery = ({ webhook_id, id, attempts, state }: Delivery) =>
  queryOptions({
    queryKey: ["webhooks", webhook_id, "deliveries", id, attempts, state],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}", {
          params: { path: { webhook_id, delivery_id: id } },
        }),
      ),
  });
