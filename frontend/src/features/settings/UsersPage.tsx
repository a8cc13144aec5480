import { Button, Modal, PasswordInput, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, asProblem, unwrap } from "@/api/client";
import { sessionQuery, userListQuery } from "@/api/queries";
import type { Role, User } from "@/api/shapes";
import { ifMatch, ROLES, useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import classes from "./Settings.module.css";
import { ROLE_FILTER, SettingsPage } from "./SettingsPage";

const column = columnsOf<User>();
const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
  }),
  column.accessor("role", {
    header: "Role",
    meta: { narrow: "figure" },
    cell: ({ row }) => <RoleOf user={row.original} />,
  }),
  column.accessor((user) => (user.disabled ? "disabled" : "enabled"), {
    id: "access",
    header: "Access",
    meta: { narrow: "second" },
  }),
  column.accessor("created_at", {
    header: "Added",
    meta: { narrow: "named" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions user={row.original} />,
  }),
]);

type UserChange = { role?: Role; disabled?: boolean; password?: string };

/** Change a user as shown; an open form passes the version that it was opened with. */
const change = (user: User, body: UserChange, etag = user.etag) =>
  unwrap(
    api.PATCH("/api/v1/users/{user_id}", {
      params: { path: { user_id: user.id }, header: ifMatch(etag) },
      body,
    }),
  );

function useChange(user: User) {
  return useWrite("users", (body: UserChange) => change(user, body));
}

function RoleOf({ user }: { user: User }) {
  const change = useChange(user);
  return (
    <Select
      aria-label={`Role of ${user.name}`}
      data={ROLES}
      value={user.role}
      w={140}
      onChange={(role) => role && change.mutate({ role: role as Role })}
      error={change.error ? asProblem(change.error).message : undefined}
    />
  );
}

function Actions({ user }: { user: User }) {
  const { data: session } = useQuery(sessionQuery);
  const [renewing, setRenewing] = useState(false);
  const change = useChange(user);
  const remove = useWrite("users", () =>
    unwrap(api.DELETE("/api/v1/users/{user_id}", { params: { path: { user_id: user.id } } })),
  );
  const error = change.error ?? remove.error;
  const own = session?.user.id === user.id;
  return (
    <>
      {error ? <ProblemPanel error={error} /> : null}
      <div className={classes.actions}>
        <Button variant="default" onClick={() => setRenewing(true)}>
          Reset password
        </Button>
        {own ? null : (
          <>
            <Button variant="default" onClick={() => change.mutate({ disabled: !user.disabled })}>
              {user.disabled ? "Enable" : "Disable"}
            </Button>
            <ConfirmButton
              label="Delete"
              question={`Delete ${user.name}?`}
              consequence="Campaigns launched by this user are kept."
              loading={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          </>
        )}
      </div>
      <Modal
        opened={renewing}
        onClose={() => setRenewing(false)}
        title={`Reset password of ${user.name}`}
      >
        <NewPassword user={user} onDone={() => setRenewing(false)} />
      </Modal>
    </>
  );
}

function NewPassword({ user, onDone }: { user: User; onDone: () => void }) {
  const [opened] = useState(user.etag);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { password: "" },
    changed: "users",
    send: (body) => change(user, body, opened),
    onSaved: onDone,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <p className={layout.hint}>The user's sessions end.</p>
      <PasswordInput
        label="Password"
        required
        data-autofocus
        autoComplete="new-password"
        {...form.getInputProps("password")}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Set password
        </Button>
      </div>
    </form>
  );
}

function NewUser({ onDone }: { onDone: () => void }) {
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { name: "", password: "", role: "operator" as Role },
    changed: "users",
    send: (body) => unwrap(api.POST("/api/v1/users", { body })),
    onSaved: onDone,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps("name")}
      />
      <PasswordInput
        label="Password"
        required
        autoComplete="new-password"
        {...form.getInputProps("password")}
      />
      <Select label="Role" data={ROLES} allowDeselect={false} {...form.getInputProps("role")} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Add user
        </Button>
      </div>
    </form>
  );
}

/** User accounts and their roles. */
export function UsersPage() {
  const view = useListView("name");
  const list = useInfiniteQuery(userListQuery(view.asked));
  const [adding, setAdding] = useState(false);
  const mayChange = useCan("admin");
  const add = <Button onClick={() => setAdding(true)}>Add user</Button>;
  return (
    <SettingsPage title="Users" action={mayChange ? add : null}>
      <SavedViews list="users" view={view} />
      <FilterBar view={view} what="users" filters={[ROLE_FILTER]} />
      <ListTable
        caption="Users"
        what="users"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "role", "created_at"]}
        empty={<Empty title="No users" />}
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add user">
        <NewUser onDone={() => setAdding(false)} />
      </Modal>
    </SettingsPage>
  );
}
