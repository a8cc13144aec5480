/** Both pages in one chunk: who opens the list goes on to a webhook. */
export { WebhookPage } from "./WebhookPage";
export { WebhooksPage } from "./WebhooksPage";
