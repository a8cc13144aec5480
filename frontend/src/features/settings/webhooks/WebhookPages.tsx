import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Facts } from "@/components/Facts";
import { Empty, Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { PageHeader, Section } from "@/components/page/Page";
import { formatMoment, RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import settings from "@/features/settings/Settings.module.css";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { Deliveries } from "./Deliveries";
import { NewSecret, WebhookForm, WebhookState } from "./WebhookParts";
import classes from "./Webhooks.module.css";
import { eventName, type Webhook, webhookListQuery, webhookQuery } from "./webhooks";

const STATE_FILTER = {
  name: "enabled",
  label: "State",
  options: [
    { value: "true", label: "Enabled" },
    { value: "false", label: "Disabled" },
  ],
};

const column = columnsOf<Webhook>();
const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ row: { original } }) => (
      <Link to="/settings/webhooks/$id" params={{ id: original.id }} className={settings.name}>
        {original.name}
      </Link>
    ),
  }),
  column.accessor("url", {
    header: "URL",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <code className={classes.url}>{getValue()}</code>,
  }),
  column.accessor(({ events }) => events.map(eventName).join(", "), {
    id: "events",
    header: "Events",
  }),
  column.accessor(({ enabled }) => (enabled ? "enabled" : "disabled"), {
    id: "enabled",
    header: "State",
    meta: { narrow: "figure" },
    cell: ({ getValue }) => <WebhookState state={getValue()} />,
  }),
  column.accessor(({ last_delivery }) => last_delivery?.state ?? "none", {
    id: "last_delivery",
    header: "Last delivery",
    meta: { narrow: "named" },
    cell: ({ row: { original } }) =>
      original.last_delivery ? <WebhookState state={original.last_delivery.state} /> : "none",
  }),
  column.accessor("created_at", {
    header: "Created",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
]);

/** The webhooks: where events are sent, and whether they arrive. */
export function WebhooksPage() {
  const view = useListView("id");
  const list = useInfiniteQuery(webhookListQuery(view.asked));
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <SettingsPage
      title="Webhooks"
      action={<Button onClick={() => setAdding(true)}>New webhook</Button>}
    >
      {secret ? <NewSecret secret={secret} /> : null}
      <FilterBar view={view} what="webhooks" filters={[STATE_FILTER]} />
      <ListTable
        caption="Webhooks"
        what="webhooks"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "created_at"]}
        empty={
          <Empty title="No webhooks yet">
            A webhook tells another system when a campaign has ended, a run has its verdict, a host
            key has changed or a host is unreachable.
          </Empty>
        }
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title="New webhook" size="lg">
        <WebhookForm
          onSaved={(saved) => {
            setSecret(saved.secret ?? null);
            setAdding(false);
          }}
        />
      </Modal>
    </SettingsPage>
  );
}

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
