import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Empty } from "@/components/feedback/Empty";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable } from "@/components/list/ListTable";
import { useListView } from "@/components/list/useListView";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import settings from "../Settings.module.css";
import { SettingsPage } from "../SettingsPage";
import { NewSecret } from "./NewSecret";
import { WebhookForm } from "./WebhookForm";
import { WebhookState } from "./WebhookState";
import classes from "./Webhooks.module.css";
import { eventName, type Webhook, webhookListQuery } from "./webhooks";

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
    cell: ({ row: { original } }) => (
      <Link to="/settings/webhooks/$id" params={{ id: original.id }} className={settings.name}>
        {original.name}
      </Link>
    ),
  }),
  column.accessor("url", {
    header: "URL",
    cell: ({ getValue }) => <code className={classes.url}>{getValue()}</code>,
  }),
  column.accessor(({ events }) => events.map(eventName).join(", "), {
    id: "events",
    header: "Events",
  }),
  column.accessor(({ enabled }) => (enabled ? "enabled" : "disabled"), {
    id: "enabled",
    header: "State",
    cell: ({ getValue }) => <WebhookState state={getValue()} />,
  }),
  column.accessor(({ last_delivery }) => last_delivery?.state ?? "none", {
    id: "last_delivery",
    header: "Last delivery",
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
