import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { formatMoment, RelativeTime } from "@/components/quantities";
import settings from "../Settings.module.css";
import { Deliveries } from "./Deliveries";
import { NewSecret } from "./NewSecret";
import { WebhookForm } from "./WebhookForm";
import { WebhookState } from "./WebhookState";
import classes from "./Webhooks.module.css";
import { eventName, type Webhook, webhookQuery } from "./webhooks";

const route = getRouteApi("/settings/webhooks/$id");

/** One webhook: where it leads, its secret, and its deliveries. */
export function WebhookPage() {
  const { id } = route.useParams();
  const webhook = useQuery(webhookQuery(id));
  return (
    <>
      <PageHeader
        title={webhook.data?.name ?? `Webhook ${id}`}
        parents={[
          "Settings",
          <Link key="webhooks" to="/settings/webhooks">
            Webhooks
          </Link>,
        ]}
        aside={
          webhook.data ? (
            <WebhookState state={webhook.data.enabled ? "enabled" : "disabled"} />
          ) : null
        }
        action={webhook.data ? <TestButton id={id} /> : null}
      />
      <Resolved
        query={webhook}
        what="webhook"
        elsewhere={<Link to="/settings/webhooks">All webhooks</Link>}
      >
        {(found) => (
          <>
            <Details webhook={found} />
            <Deliveries webhookId={found.id} />
          </>
        )}
      </Resolved>
    </>
  );
}

function TestButton({ id }: { id: number }) {
  const test = useWrite("webhooks", () =>
    unwrap(
      api.POST("/api/v1/webhooks/{webhook_id}/test", { params: { path: { webhook_id: id } } }),
    ),
  );
  return (
    <Button loading={test.isPending} onClick={() => test.mutate()}>
      Send test event
    </Button>
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  const [editing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title="Receiver"
      action={
        <Button variant="default" onClick={() => setEditing(true)}>
          Edit
        </Button>
      }
    >
      {webhook.disabled_reason ? (
        <div className={classes.remark}>
          <Notice title="Assay disabled this webhook">
            {webhook.disabled_reason} Correct the receiver, send a test event, then enable the
            webhook.
          </Notice>
        </div>
      ) : null}
      {secret ? <NewSecret secret={secret} /> : null}
      <Facts
        facts={[
          [
            "URL",
            <code key="url" className={classes.url}>
              {webhook.url}
            </code>,
          ],
          ["Events", webhook.events.map(eventName).join(", ")],
          ["Private addresses", webhook.private_addresses ? "allowed" : "not allowed"],
          [
            "Previous secret",
            webhook.previous_secret_valid_until ? (
              <>
                signs until{" "}
                <time dateTime={webhook.previous_secret_valid_until}>
                  {formatMoment(new Date(webhook.previous_secret_valid_until))}
                </time>
              </>
            ) : (
              "none"
            ),
          ],
          [
            "Created",
            <span key="created">
              <RelativeTime at={webhook.created_at} /> by {webhook.created_by}
            </span>,
          ],
        ]}
      />
      <Actions webhook={webhook} onSecret={setSecret} />
      <Modal opened={editing} onClose={() => setEditing(false)} title="Edit webhook" size="lg">
        <WebhookForm webhook={webhook} onSaved={() => setEditing(false)} />
      </Modal>
    </Section>
  );
}

interface ActionsProps {
  webhook: Webhook;
  onSecret: (secret: string) => void;
}

function Actions({ webhook, onSecret }: ActionsProps) {
  const navigate = useNavigate();
  const params = { path: { webhook_id: webhook.id } };
  const enable = useWrite("webhooks", (enabled: boolean) =>
    unwrap(api.PATCH("/api/v1/webhooks/{webhook_id}", { params, body: { enabled } })),
  );
  const rotate = useWrite(
    "webhooks",
    () =>
      unwrap(
        api.POST("/api/v1/webhooks/{webhook_id}/secret", {
          params,
          body: { previous_valid_hours: 24 },
        }),
      ),
    ({ secret }) => onSecret(secret),
  );
  const remove = useWrite("webhooks", async () => {
    await unwrap(api.DELETE("/api/v1/webhooks/{webhook_id}", { params }));
    await navigate({ to: "/settings/webhooks" });
  });
  const problem = enable.error ?? rotate.error ?? remove.error;
  return (
    <>
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={`${settings.actions} ${classes.actions}`}>
        {webhook.enabled ? (
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate(false)}>
            Disable
          </Button>
        ) : (
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate(true)}>
            Enable
          </Button>
        )}
        <ConfirmButton
          label="Replace secret"
          question={`Replace the secret of ${webhook.name}?`}
          consequence="Messages are signed with both secrets for 24 hours, so that the receiver can change over. Then the previous one is no longer used."
          loading={rotate.isPending}
          onConfirm={() => rotate.mutate()}
        />
        <ConfirmButton
          label="Delete"
          question={`Delete the webhook ${webhook.name}?`}
          consequence="Its deliveries are deleted, and pending messages are not sent any more."
          loading={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
    </>
  );
}
