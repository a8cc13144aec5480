import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { credentialListQuery } from "@/api/queries";
import type { Credential, CredentialKind } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import { Certificate } from "@/features/credentials/Certificate";
import { CredentialForm, PublicKey } from "@/features/credentials/CredentialForm";
import { HostAuthorities } from "@/features/credentials/HostAuthorities";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

const KINDS: Record<CredentialKind, string> = {
  generated: "generated key pair",
  private_key: "private key",
  password: "password",
};

const KIND_FILTER = {
  name: "kind",
  label: "Kind",
  several: true,
  options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
};

const column = columnsOf<Credential>();
const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
  }),
  column.accessor(({ kind }) => KINDS[kind], {
    id: "kind",
    header: "Kind",
    meta: { narrow: "second" },
    cell: ({ getValue, row: { original: credential } }) => (
      <>
        {getValue()}
        {credential.certificate ? ", with certificate" : null}
        {credential.warnings.map((warning) => (
          <span key={warning} className={`unfolded ${classes.warning}`}>
            {warning}
          </span>
        ))}
      </>
    ),
  }),
  column.accessor((credential) => credential.fingerprint ?? "–", {
    id: "fingerprint",
    header: "Fingerprint",
    cell: ({ getValue }) => <code className={classes.fingerprint}>{getValue()}</code>,
  }),
  column.accessor(({ hosts }) => hosts.length, {
    id: "hosts",
    header: "Used by",
    cell: ({ row }) => <Hosts credential={row.original} />,
  }),
  column.accessor("created_at", {
    header: "Created",
    meta: { narrow: "named" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row }) => <Actions credential={row.original} />,
  }),
]);

const HOSTS_SHOWN = 3;

function Hosts({ credential: { hosts } }: { credential: Credential }) {
  if (hosts.length === 0) return "none";
  const more = hosts.length - HOSTS_SHOWN;
  return (
    <ul className={classes.hosts}>
      {hosts.slice(0, HOSTS_SHOWN).map(({ id, name }) => (
        <li key={id}>
          <Link to="/hosts/$id" params={{ id }}>
            {name}
          </Link>
        </li>
      ))}
      {more > 0 ? <li>and {more} more</li> : null}
    </ul>
  );
}

function Actions({ credential }: { credential: Credential }) {
  const mayChange = useCan("admin");
  const [showing, setShowing] = useState(false);
  const [certifying, setCertifying] = useState(false);
  const remove = useWrite("credentials", () =>
    unwrap(
      api.DELETE("/api/v1/credentials/{credential_id}", {
        params: { path: { credential_id: credential.id } },
      }),
    ),
  );
  return (
    <>
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.actions}>
        {credential.public_key ? (
          <Button variant="default" onClick={() => setShowing(true)}>
            Public key
          </Button>
        ) : null}
        {credential.certificate || (mayChange && credential.public_key) ? (
          <Button variant="default" onClick={() => setCertifying(true)}>
            Certificate
          </Button>
        ) : null}
        {mayChange ? (
          <ConfirmButton
            label="Delete"
            question={`Delete the credential ${credential.name}?`}
            consequence="The secret is deleted. Nothing on the host is changed."
            loading={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        ) : null}
      </div>
      <Modal
        opened={showing}
        onClose={() => setShowing(false)}
        title={`Public key of ${credential.name}`}
        size="lg"
      >
        <PublicKey credential={credential} />
      </Modal>
      <Modal
        opened={certifying}
        onClose={() => setCertifying(false)}
        title={`Certificate of ${credential.name}`}
        size="lg"
      >
        <Certificate credential={credential} onSaved={() => setCertifying(false)} />
      </Modal>
    </>
  );
}

/** The SSH keys and passwords that Assay logs in to hosts with. */
export function CredentialsPage() {
  const view = useListView("name");
  const list = useInfiniteQuery(credentialListQuery(view.asked));
  const mayChange = useCan("admin");
  const [adding, setAdding] = useState(false);
  const [madeId, setMadeId] = useState<number | null>(null);
  const made = list.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === madeId);
  return (
    <SettingsPage
      title="Credentials"
      action={mayChange ? <Button onClick={() => setAdding(true)}>New credential</Button> : null}
    >
      {made?.public_key ? (
        <div className={classes.once} role="status">
          <PublicKey credential={made} />
        </div>
      ) : null}
      <SavedViews list="credentials" view={view} />
      <FilterBar view={view} what="credentials" filters={[KIND_FILTER]} />
      <ListTable
        caption="Credentials"
        what="credentials"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "kind", "created_at"]}
        empty={
          <Empty title="No credentials yet">
            A credential is an SSH key or password. It is stored encrypted and never shown again.
          </Empty>
        }
      />
      <div className={classes.below}>
        <HostAuthorities />
      </div>
      <Modal opened={adding} onClose={() => setAdding(false)} title="New credential" size="lg">
        <CredentialForm
          onMade={(credential) => {
            setMadeId(credential.id);
            setAdding(false);
          }}
        />
      </Modal>
    </SettingsPage>
  );
}
