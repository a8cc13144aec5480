import { Button, Modal, PasswordInput, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { sessionQuery, usersQuery } from "@/api/queries";
import type { Role, User } from "@/api/shapes";
import { ROLES, useCan } from "@/api/useCan";
import { ConfirmButton } from "@/components/ConfirmButton";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

const column = columnsOf<User>();
const COLUMNS = column.columns([
  column.accessor("name", {
    header: "Name",
    cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
  }),
  column.accessor("role", {
    header: "Role",
    cell: ({ row }) => <RoleOf user={row.original} />,
  }),
  column.accessor((user) => (user.disabled ? "disabled" : "enabled"), {
    id: "access",
    header: "Access",
  }),
  column.accessor("created_at", {
    header: "Added",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions user={row.original} />,
  }),
]);

function useChange(user: User) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { role?: Role; disabled?: boolean; password?: string }) =>
      unwrap(
        api.PATCH("/api/v1/users/{user_id}", { params: { path: { user_id: user.id } }, body }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
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
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/api/v1/users/{user_id}", { params: { path: { user_id: user.id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
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
  const [password, setPassword] = useState("");
  const change = useChange(user);
  const problem = change.error ? asProblem(change.error) : null;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ password }, { onSuccess: onDone });
      }}
    >
      <p className={form.hint}>The user's sessions end.</p>
      <PasswordInput
        label="Password"
        required
        data-autofocus
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={problem ? (problem.fields.password ?? problem.message) : undefined}
      />
      <div className={form.actions}>
        <Button type="submit" loading={change.isPending}>
          Set password
        </Button>
      </div>
    </form>
  );
}

function NewUser({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users", { body: { name, password, role } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      onDone();
    },
  });
  const problem = make.error ? asProblem(make.error) : null;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problem?.fields.name}
      />
      <PasswordInput
        label="Password"
        required
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={problem?.fields.password}
      />
      <Select
        label="Role"
        data={ROLES}
        value={role}
        onChange={(value) => setRole((value ?? "viewer") as Role)}
      />
      {problem && Object.keys(problem.fields).length === 0 ? (
        <ProblemPanel error={problem} />
      ) : null}
      <div className={form.actions}>
        <Button type="submit" loading={make.isPending}>
          Add user
        </Button>
      </div>
    </form>
  );
}

/** Who may sign in, and as what. */
export function UsersPage() {
  const users = useQuery(usersQuery);
  const [adding, setAdding] = useState(false);
  const mayChange = useCan("admin");
  const add = <Button onClick={() => setAdding(true)}>Add user</Button>;
  return (
    <SettingsPage title="Users" action={mayChange ? add : null}>
      <Resolved query={users} what="users">
        {({ items }) => (
          <DataTable caption="Users" columns={COLUMNS} rows={items} rowId={({ id }) => id} />
        )}
      </Resolved>
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add user">
        <NewUser onDone={() => setAdding(false)} />
      </Modal>
    </SettingsPage>
  );
}
