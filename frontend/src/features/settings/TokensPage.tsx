import { Button, Modal, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { sessionQuery, tokenListQuery } from "@/api/queries";
import type { Role, Token } from "@/api/shapes";
import { rolesUpTo } from "@/api/useCan";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Empty";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable } from "@/components/list/ListTable";
import { useListView } from "@/components/list/useListView";
import { RelativeTime } from "@/components/quantities";
import { columnsOf } from "@/components/table/DataTable";
import { ROLE_FILTER } from "./roleFilter";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

const column = columnsOf<Token>();
const COLUMNS = column.columns([
  column.accessor("id", {
    header: "ID",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor("name", {
    header: "Name",
    cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
  }),
  column.accessor("role", { header: "Role" }),
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
    cell: ({ row }) => <RelativeTime at={row.original.expires_at} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Delete token={row.original} />,
  }),
]);

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

/** A new token with its secret, which the API returns only once. */
type Made = { id: number; token: string };

const LIFETIMES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never" },
];

function NewToken({ onMade }: { onMade: (made: Made) => void }) {
  const { data: session } = useQuery(sessionQuery);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: "", role: "viewer" as Role, lifetime: "90" },
    changed: "tokens",
    send: ({ name, role, lifetime }) =>
      unwrap(
        api.POST("/api/v1/tokens", {
          body: { name, role, expires_in_days: lifetime === "never" ? null : Number(lifetime) },
        }),
      ),
    onSaved: onMade,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        description="For example, the pipeline that uses it."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <div className={layout.row}>
        <Select
          label="Role"
          data={rolesUpTo(session?.user.role ?? "viewer")}
          allowDeselect={false}
          {...form.getInputProps("role")}
        />
        <Select
          label="Expires after"
          data={LIFETIMES}
          allowDeselect={false}
          {...form.getInputProps("lifetime")}
        />
      </div>
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Create token
        </Button>
      </div>
    </form>
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
