import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { tokenListQuery } from "@/api/queries";
import type { Token } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { LabelChips } from "@/components/labels/Labels";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { formatBytes, RelativeTime, useNow } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import { type Made, NewToken, scopeWords } from "./NewToken";
import classes from "./Settings.module.css";
import { ROLE_FILTER, SettingsPage } from "./SettingsPage";

const column = columnsOf<Token>();
const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
  }),
  column.accessor("role", { header: "Role", meta: { narrow: "figure" } }),
  column.accessor("scopes", {
    header: "Scopes",
    meta: { narrow: "second" },
    enableSorting: false,
    cell: ({ row }) => <Scopes token={row.original} />,
  }),
  column.accessor((token) => token.used, {
    id: "used",
    header: "Used today",
    enableSorting: false,
    cell: ({ row }) => <Used token={row.original} />,
  }),
  column.accessor("created_at", {
    header: "Created",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.accessor((token) => token.last_used_at ?? "", {
    id: "last_used_at",
    header: "Last used",
    cell: ({ row }) => <RelativeTime at={row.original.last_used_at} />,
  }),
  column.accessor((token) => token.expires_at ?? "", {
    id: "expires_at",
    header: "Expires",
    meta: { narrow: "named" },
    cell: ({ row }) => <Expiry at={row.original.expires_at} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Delete token={row.original} />,
  }),
]);

/** What the token may do, and on which targets. */
function Scopes({ token }: { token: Token }) {
  return (
    <div className={classes.limits}>
      <span>{scopeWords(token.scopes)}</span>
      {Object.keys(token.target_labels).length > 0 ? (
        <div className="unfolded">
          <LabelChips labels={token.target_labels} />
        </div>
      ) : null}
    </div>
  );
}

/** What its campaigns of today write, and how many are active, each with its quota. */
function Used({ token: { used, bytes_per_day, campaigns_at_once } }: { token: Token }) {
  const active = used.campaign_ids.length;
  return (
    <div className={classes.limits}>
      <span className="figures">
        {formatBytes(used.bytes_today)}
        {bytes_per_day === null ? "" : ` of ${formatBytes(bytes_per_day)}`}
      </span>
      {active > 0 || campaigns_at_once !== null ? (
        <span className="figures">
          {active}
          {campaigns_at_once === null ? "" : ` of ${campaigns_at_once}`} active
        </span>
      ) : null}
    </div>
  );
}

const SOON_MS = 7 * 86_400_000;

/** When the token expires; marked in its last week, and after it. */
function Expiry({ at }: { at: string | null }) {
  const now = useNow();
  const left = at === null ? Number.POSITIVE_INFINITY : Date.parse(at) - now.getTime();
  if (left > SOON_MS) return <RelativeTime at={at} />;
  return (
    <div className={`${classes.limits} ${classes.expiring}`} data-over={left <= 0 || undefined}>
      <RelativeTime at={at} />
      <strong className="unfolded">{left > 0 ? "Expires soon" : "Expired"}</strong>
    </div>
  );
}

function Delete({ token }: { token: Token }) {
  const remove = useWrite("tokens", () =>
    unwrap(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: token.id } } })),
  );
  return (
    <>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <ConfirmButton
        label="Delete"
        question={`Delete the token ${token.name}?`}
        consequence="Clients that use this token lose access."
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  );
}

/** API tokens of the signed-in user. */
export function TokensPage() {
  const view = useListView("-created_at");
  const list = useInfiniteQuery(tokenListQuery(view.asked));
  const tokens = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const isThere = tokens.some(({ id }) => id === made?.id);
  return (
    <SettingsPage
      title="Tokens"
      action={<Button onClick={() => setAdding(true)}>New token</Button>}
    >
      {made && isThere ? (
        <div className={classes.once} role="status">
          <p>
            <strong>The token is shown only once.</strong> Send it in the{" "}
            <code>Authorization: Bearer</code> header.
          </p>
          <CopyText text={made.token} label="token" />
        </div>
      ) : null}
      <SavedViews list="tokens" view={view} />
      <FilterBar view={view} what="tokens" filters={[ROLE_FILTER]} />
      <ListTable
        caption="API tokens"
        what="tokens"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "role", "created_at", "last_used_at", "expires_at"]}
        empty={
          <Empty title="No tokens yet">
            Tokens authenticate pipelines that launch campaigns over the REST API.
          </Empty>
        }
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title="New token">
        <NewToken
          onMade={(token) => {
            setMade(token);
            setAdding(false);
          }}
        />
      </Modal>
    </SettingsPage>
  );
}
