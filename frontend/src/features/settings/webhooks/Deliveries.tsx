import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { useWrite } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { Section } from "@/components/page/Page";
import { formatLatency, formatMoment, RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import settings from "@/features/settings/Settings.module.css";
import { WebhookState } from "./WebhookParts";
import classes from "./Webhooks.module.css";
import {
  type Attempt,
  type Delivery,
  deliveryListQuery,
  deliveryQuery,
  eventName,
} from "./webhooks";

const STATE_FILTER = {
  name: "state",
  label: "State",
  several: true,
  options: [
    { value: "pending", label: "Pending" },
    { value: "delivered", label: "Delivered" },
    { value: "failed", label: "Failed" },
  ],
};

const column = columnsOf<Delivery>();
const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor(({ event }) => eventName(event), {
    id: "event",
    header: "Event",
    meta: { narrow: "lead" },
  }),
  column.accessor("state", {
    header: "State",
    meta: { narrow: "figure" },
    cell: ({ getValue }) => <WebhookState state={getValue()} />,
  }),
  column.accessor("attempts", {
    header: "Attempts",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor(({ last_attempt }) => last_attempt?.status ?? 0, {
    id: "result",
    header: "Last attempt",
    meta: { narrow: "second" },
    cell: ({ row: { original } }) => <LastAttempt delivery={original} />,
  }),
  column.accessor("created_at", {
    header: "Created",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions delivery={row.original} />,
  }),
]);

function Outcome({ attempt: { status, error, duration_ns } }: { attempt: Attempt }) {
  return (
    <>
      {error ? <span className={classes.error}>{error}</span> : <code>{status}</code>} (
      <span className="figures">{formatLatency(duration_ns)}</span>)
    </>
  );
}

function LastAttempt({ delivery: { last_attempt, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <div className={classes.outcome}>
      {last_attempt ? <Outcome attempt={last_attempt} /> : "not sent yet"}
      {last_attempt && next_attempt_at ? (
        <p className={`unfolded ${classes.next}`}>
          Next attempt: {formatMoment(new Date(next_attempt_at))}
        </p>
      ) : null}
    </div>
  );
}

function Actions({ delivery }: { delivery: Delivery }) {
  const [showing, setShowing] = useState(false);
  const resend = useWrite("webhooks", () =>
    unwrap(
      api.POST("/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", {
        params: { path: { webhook_id: delivery.webhook_id, delivery_id: delivery.id } },
      }),
    ),
  );
  return (
    <>
      {resend.error ? <ProblemPanel error={resend.error} /> : null}
      <div className={settings.actions}>
        <Button variant="default" onClick={() => setShowing(true)}>
          Details
        </Button>
        <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          Resend
        </Button>
      </div>
      <Modal
        opened={showing}
        onClose={() => setShowing(false)}
        title={`Delivery ${delivery.id}: ${eventName(delivery.event)}`}
        size="xl"
      >
        {showing ? <Detail delivery={delivery} /> : null}
      </Modal>
    </>
  );
}

/** The message as it is sent, and each attempt with the response. */
function Detail({ delivery }: { delivery: Delivery }) {
  const detail = useQuery(deliveryQuery(delivery));
  return (
    <Resolved query={detail} what="delivery">
      {({ message_id, body, every_attempt }) => (
        <div className={classes.detail}>
          <h3>Message</h3>
          <p>
            <code>webhook-id: {message_id}</code>
          </p>
          <pre className={classes.body}>{indented(body)}</pre>
          <h3>Attempts</h3>
          {every_attempt.length === 0 ? <p>None yet.</p> : null}
          <ol className={classes.attempts}>
            {every_attempt.map((attempt) => (
              <li key={attempt.number} value={attempt.number}>
                <RelativeTime at={attempt.ended_at} />
                {attempt.address ? (
                  <>
                    {" "}
                    to <code>{attempt.address}</code>
                  </>
                ) : null}
                : <Outcome attempt={attempt} />
                {attempt.answer ? <pre className={classes.body}>{attempt.answer}</pre> : null}
              </li>
            ))}
          </ol>
        </div>
      )}
    </Resolved>
  );
}

/** The body for reading; it is sent without the white space. */
const indented = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);

/** The messages to a webhook, newest first, each with its attempts. */
export function Deliveries({ webhookId }: { webhookId: number }) {
  const view = useListView("-id");
  const list = useInfiniteQuery(deliveryListQuery(webhookId, view.asked));
  return (
    <Section title="Deliveries" hint="Kept for 30 days after their end.">
      <FilterBar view={view} what="deliveries" filters={[STATE_FILTER]} />
      <ListTable
        caption="Deliveries"
        what="deliveries"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "created_at"]}
        empty={
          <Empty title="No deliveries yet">
            Send a test event to see whether the receiver accepts it.
          </Empty>
        }
      />
    </Section>
  );
}
