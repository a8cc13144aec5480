import { Button, Modal, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import type { components } from "@/api/schema";
import { ifMatch, useCan, useVersion, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { Section } from "@/components/page/Page";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import classes from "./Credentials.module.css";

type HostAuthority = components["schemas"]["HostAuthorityOut"];

/** More authorities than any installation has. */
const MOST_SHOWN = 200;

const MONO = { input: { fontFamily: "var(--font-figures)", fontSize: 12 } };

const column = columnsOf<HostAuthority>();
const COLUMNS = column.columns([
  column.accessor("name", { header: "Name", meta: { narrow: "lead" } }),
  column.accessor(({ patterns }) => patterns.join(", "), {
    id: "patterns",
    header: "Hosts",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <code className={classes.long}>{getValue()}</code>,
  }),
  column.accessor("fingerprint", {
    header: "Fingerprint",
    cell: ({ getValue }) => <code className={classes.long}>{getValue()}</code>,
  }),
  column.accessor(({ revoked_keys }) => revoked_keys.length, {
    id: "revoked",
    header: "Revoked keys",
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions authority={row.original} />,
  }),
]);

/** The authorities whose certificates identify hosts, without approval of each key. */
export function HostAuthorities() {
  const mayChange = useCan("admin");
  const [adding, setAdding] = useState(false);
  const authorities = useQuery({
    queryKey: ["credentials", "host-authorities"],
    queryFn: () =>
      unwrap(api.GET("/api/v1/host-authorities", { params: { query: { limit: MOST_SHOWN } } })),
  });
  return (
    <Section
      title="Host authorities"
      hint="A host whose address matches is trusted if its certificate is signed by the authority, so its key needs no approval."
      action={
        mayChange ? (
          <Button variant="default" onClick={() => setAdding(true)}>
            Trust an authority
          </Button>
        ) : null
      }
    >
      <Resolved query={authorities} what="host authorities">
        {({ items }) =>
          items.length === 0 ? (
            <p>No host authority is trusted.</p>
          ) : (
            <DataTable
              caption="Host authorities"
              columns={COLUMNS}
              rows={items}
              rowId={({ id }) => id}
              sortedBy="name"
            />
          )
        }
      </Resolved>
      <Modal
        opened={adding}
        onClose={() => setAdding(false)}
        title="Trust a host authority"
        size="lg"
      >
        <AuthorityForm onSaved={() => setAdding(false)} />
      </Modal>
    </Section>
  );
}

function Actions({ authority }: { authority: HostAuthority }) {
  const mayChange = useCan("admin");
  const [editing, setEditing] = useState(false);
  const remove = useWrite("credentials", () =>
    unwrap(
      api.DELETE("/api/v1/host-authorities/{authority_id}", {
        params: { path: { authority_id: authority.id }, header: ifMatch(authority.etag) },
      }),
    ),
  );
  if (!mayChange) return null;
  return (
    <>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.actions}>
        <Button variant="default" onClick={() => setEditing(true)}>
          Edit
        </Button>
        <ConfirmButton
          label="Delete"
          question={`Delete the host authority ${authority.name}?`}
          consequence="Hosts without an approved key of their own then need an approval."
          loading={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title={`Edit ${authority.name}`}
        size="lg"
      >
        <AuthorityForm authority={authority} onSaved={() => setEditing(false)} />
      </Modal>
    </>
  );
}

type FormProps = { authority?: HostAuthority; onSaved: () => void };

function AuthorityForm({ authority, onSaved }: FormProps) {
  const version = useVersion(authority);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      name: authority?.name ?? "",
      public_key: authority?.public_key ?? "",
      patterns: (authority?.patterns ?? []).join("\n"),
      revoked_keys: (authority?.revoked_keys ?? []).join("\n"),
    },
    changed: "credentials",
    send: ({ name, public_key, patterns, revoked_keys }) => {
      const body = { name, patterns: linesOf(patterns), revoked_keys: linesOf(revoked_keys) };
      if (!authority) {
        return unwrap(api.POST("/api/v1/host-authorities", { body: { ...body, public_key } }));
      }
      return unwrap(
        api.PATCH("/api/v1/host-authorities/{authority_id}", {
          params: { path: { authority_id: authority.id }, header: version.header() },
          body,
        }),
      );
    },
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <Textarea
        label="Public key"
        description="Of the authority that signs host keys (ssh-keygen -s … -h)."
        placeholder="ssh-ed25519 AAAA…"
        required
        rows={3}
        spellCheck={false}
        disabled={authority !== undefined}
        styles={MONO}
        {...form.getInputProps("public_key")}
      />
      <Textarea
        label="Hosts"
        description="Address patterns as in known_hosts, one per line: *.storage.example, [10.0.0.7]:2222."
        required
        rows={3}
        spellCheck={false}
        styles={MONO}
        {...form.getInputProps("patterns")}
      />
      <Textarea
        label="Revoked host keys"
        description="Public keys that are rejected in spite of a certificate, one per line."
        rows={2}
        spellCheck={false}
        styles={MONO}
        {...form.getInputProps("revoked_keys")}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          {authority ? "Save" : "Trust authority"}
        </Button>
      </div>
    </form>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
