import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { hostQuery, inventoryQuery, isChecking, targetsQuery } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { isFirstLoad, Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import {
  LabelFields,
  LabelLine,
  labelBody,
  labelValues,
  validateLabels,
} from "@/components/labels/Labels";
import { PageHeader, Section } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { addressOf, machineOf } from "@/features/targets/describe";
import { CheckProgress, HostKeyApproval, useCacheHost, useHostCheck } from "./HostCheck";
import classes from "./Hosts.module.css";
import { InventoryView } from "./InventoryView";
import { TargetsOfHost, useMayChangeHost } from "./TargetsOfHost";

const route = getRouteApi("/hosts/$id");

/** One host: state, problems, connection, targets and inventory. */
export function HostPage() {
  const { id } = route.useParams();
  const host = useQuery(hostQuery(id));
  return (
    <>
      <PageHeader
        title={host.data?.name ?? `Host ${id}`}
        parents={[
          <Link key="hosts" to="/hosts">
            Hosts
          </Link>,
        ]}
        aside={host.data ? <StateBadge state={host.data.state} /> : null}
        action={host.data ? <CheckButton host={host.data} /> : null}
      />
      <Resolved query={host} what="host" elsewhere={<Link to="/hosts">All hosts</Link>}>
        {(found) => <HostBody host={found} />}
      </Resolved>
    </>
  );
}

function CheckButton({ host }: { host: Host }) {
  const check = useHostCheck();
  if (!useCan("operator")) return null;
  return (
    <Button
      loading={check.isPending || isChecking(host)}
      disabled={host.state === "deleting"}
      onClick={() => check.mutate(host.id)}
    >
      Check host
    </Button>
  );
}

function HostBody({ host }: { host: Host }) {
  const mayChange = useMayChangeHost(host);
  const wasInspected = host.summary !== null;
  const inventory = useQuery({ ...inventoryQuery(host.id), enabled: wasInspected });
  // Sections below the targets wait for them, so that nothing shifts when they arrive.
  const areTargetsLoading = isFirstLoad(useQuery(targetsQuery(host.id)));
  return (
    <>
      <div className={classes.remarks}>
        {host.warnings.map((warning) => (
          <Notice key={warning}>{warning}</Notice>
        ))}
        <ManagedBy file={host.managed_by} />
        <CheckProgress host={host} />
      </div>
      <LabelLine of={host} action={mayChange ? <EditHostLabels host={host} /> : null} />
      {mayChange && (host.state === "key_unapproved" || host.state === "key_changed") ? (
        <div className={classes.approval}>
          <HostKeyApproval host={host} />
        </div>
      ) : null}
      <Section
        title="Connection"
        action={
          mayChange ? (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to="/hosts/new" search={{ host: host.id, change: "connection" }} {...props} />
              )}
            >
              Change
            </Button>
          ) : null
        }
      >
        <Facts
          facts={[
            [
              "Address",
              <span key="address" className="figures">
                {addressOf(host)}
              </span>,
            ],
            ...jumpHostOf(host),
            ["System", machineOf(host)],
            [
              "Host key",
              host.host_key ? (
                <code key="key">
                  {host.host_key.type} {host.host_key.fingerprint}
                </code>
              ) : (
                keyStateOf(host)
              ),
            ],
            [
              "Probe directory",
              host.probe_dir ? <code key="dir">{host.probe_dir}</code> : "default",
            ],
            ["Checked", <RelativeTime key="checked" at={host.last_checked_at} />],
            ["Seen", <RelativeTime key="seen" at={host.last_seen_at} />],
            [
              "Active run",
              host.busy_run_id ? (
                <Link key="run" to="/runs/$id" params={{ id: host.busy_run_id }}>
                  run {host.busy_run_id}
                </Link>
              ) : (
                "none"
              ),
            ],
            [
              "Results",
              <Link key="runs" to="/runs" search={{ host_id: String(host.id) }}>
                runs on this host
              </Link>,
            ],
          ]}
        />
      </Section>
      <TargetsOfHost host={host} />
      {wasInspected && !areTargetsLoading ? (
        <Resolved query={inventory} what="inventory">
          {(found) => <InventoryView inventory={found} />}
        </Resolved>
      ) : null}
      {mayChange && !areTargetsLoading && !isFirstLoad(inventory) ? (
        <DeleteHost host={host} />
      ) : null}
    </>
  );
}

/** Why a host without an approved key needs none, or that it needs one. */
function keyStateOf({ connection, host_authority }: Host): string {
  if (connection === "local") return "not required (this machine)";
  return host_authority ? `by certificate of ${host_authority}` : "not approved";
}

/** The fact that names the host through which this one is reached, if there is one. */
function jumpHostOf({ jump_host }: Host): [string, React.ReactNode][] {
  if (!jump_host) return [];
  const link = (
    <Link to="/hosts/$id" params={{ id: jump_host.id }}>
      {jump_host.name}
    </Link>
  );
  return [["Jump host", link]];
}

function DeleteHost({ host }: { host: Host }) {
  const navigate = useNavigate();
  const remove = useWrite(
    "hosts",
    () => unwrap(api.DELETE("/api/v1/hosts/{host_id}", { params: { path: { host_id: host.id } } })),
    () => navigate({ to: "/hosts" }),
  );
  return (
    <Section title="Delete host">
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <ConfirmButton
        label="Delete host"
        question={`Delete ${host.name}?`}
        consequence="Its targets are deleted too. Results are kept. The probe is removed from the host."
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Section>
  );
}

/** A button that edits a host's labels and reference in a dialog. */
function EditHostLabels({ host }: { host: Host }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit labels
      </Button>
      <Modal opened={opened} onClose={close} title={`Labels of ${host.name}`}>
        <HostLabelsForm host={host} onSaved={close} />
      </Modal>
    </>
  );
}

function HostLabelsForm({ host, onSaved }: { host: Host; onSaved: () => void }) {
  const cache = useCacheHost();
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: labelValues(host),
    validate: { labels: validateLabels },
    changed: "hosts",
    send: (values) =>
      unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id } },
          body: labelBody(values),
        }),
      ),
    onSaved: (saved) => {
      cache(saved);
      onSaved();
    },
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <ManagedBy file={host.managed_by} />
      <LabelFields getInputProps={form.getInputProps} />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save labels
        </Button>
      </div>
    </form>
  );
}
