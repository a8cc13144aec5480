import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { inventoryQuery, targetsQuery } from "@/api/queries";
import type { Host, Target } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { AtCommas, Facts } from "@/components/Facts";
import { Empty } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { LabelChips } from "@/components/labels/Labels";
import { Section } from "@/components/page/Page";
import { Bytes, count, formatBlock, RelativeTime } from "@/components/quantities";
import { arrayOf, holding } from "@/features/targets/describe";
import { Matches } from "@/features/targets/Matches";
import { TargetEdit, TargetForm } from "@/features/targets/TargetForm";
import classes from "./Hosts.module.css";

/** The targets of a host: directories that tests may write to. */
export function TargetsOfHost({ host }: { host: Host }) {
  const mayChange = useMayChangeHost(host);
  const isReady = host.state === "ready";
  const [adding, setAdding] = useState(false);
  const targets = useQuery(targetsQuery(host.id));
  return (
    <Section
      title="Targets"
      hint="Directories that tests may write to."
      action={
        mayChange ? (
          <Button variant="default" disabled={!isReady} onClick={() => setAdding(true)}>
            Add target
          </Button>
        ) : null
      }
    >
      <Matches of={{ host_id: host.id }} />
      <Resolved query={targets} what="targets" rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No targets yet">
              {isReady
                ? "Add a directory on this host to run tests on it."
                : "Targets can be added once the host is ready."}
            </Empty>
          ) : (
            items.map((target) => <TargetEntry key={target.id} host={host} target={target} />)
          )
        }
      </Resolved>
      <Modal opened={adding} onClose={() => setAdding(false)} title={`Add target on ${host.name}`}>
        <NewTarget host={host} onMade={() => setAdding(false)} />
      </Modal>
    </Section>
  );
}

function NewTarget({ host, onMade }: { host: Host; onMade: () => void }) {
  const [path, setPath] = useState("");
  const inventory = useQuery(inventoryQuery(host.id));
  const fs = holding(inventory.data?.body.filesystems ?? [], path);
  return (
    <TargetForm
      hostId={host.id}
      path={path}
      onPath={setPath}
      onRoot={fs?.mount === "/"}
      onMade={onMade}
    />
  );
}

function TargetEntry({ host, target }: { host: Host; target: Target }) {
  const mayLaunch = useCan("operator");
  const mayChange = useMayChangeHost(host);
  const [editing, setEditing] = useState(false);
  const path = { params: { path: { target_id: target.id } } };
  const check = useWrite("targets", () =>
    unwrap(api.POST("/api/v1/targets/{target_id}/check", path)),
  );
  const remove = useWrite("targets", () => unwrap(api.DELETE("/api/v1/targets/{target_id}", path)));
  const error = check.error ?? remove.error;
  return (
    <article className={classes.target} aria-label={target.name}>
      <div className={classes.head}>
        <h3>
          <code>{target.path}</code>
          {target.name !== target.path ? (
            <span className={classes.targetName}>{target.name}</span>
          ) : null}
        </h3>
        {mayLaunch ? (
          <div className={classes.actions}>
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to="/launch" search={{ targets: String(target.id) }} {...props} />
              )}
            >
              Launch campaign
            </Button>
            <Button variant="subtle" loading={check.isPending} onClick={() => check.mutate()}>
              Check again
            </Button>
            {mayChange ? (
              <>
                <Button variant="subtle" onClick={() => setEditing(true)}>
                  Edit
                </Button>
                <ConfirmButton
                  label="Remove"
                  question={`Remove ${target.path} from Assay?`}
                  consequence="Results are kept. Nothing on the host is changed."
                  loading={remove.isPending}
                  onConfirm={() => remove.mutate()}
                />
              </>
            ) : null}
          </div>
        ) : null}
      </div>
      {error ? <ProblemPanel error={error} /> : null}
      <TargetFacts target={target} />
      <Modal opened={editing} onClose={() => setEditing(false)} title={`Edit ${target.path}`}>
        <TargetEdit target={target} onSaved={() => setEditing(false)} />
      </Modal>
    </article>
  );
}

const DIRECT: Record<NonNullable<Target["direct"]>, string> = {
  real: "verified: bypasses the page cache",
  buffered: "accepted, but served through the page cache",
  refused: "not supported by the file system",
  unprovable: "accepted; cannot be verified here",
};

/** The properties of a target and the limits of what can be verified there. */
function TargetFacts({ target }: { target: Target }) {
  const { device_info: device } = target;
  return (
    <>
      <Facts
        facts={[
          ["File system", target.fs_type ? `${target.fs_type} at ${target.mount}` : null],
          ["Source", target.fs_source ? <code key="source">{target.fs_source}</code> : null],
          [
            "Options",
            target.fs_options ? (
              <code key="options">
                <AtCommas text={target.fs_options} />
              </code>
            ) : null,
          ],
          ["UUID", target.fs_uuid ? <code key="uuid">{target.fs_uuid}</code> : null],
          [
            "Free",
            <span key="free">
              <Bytes bytes={target.free_bytes} /> of <Bytes bytes={target.size_bytes} />, measured{" "}
              <RelativeTime at={target.free_at} />
            </span>,
          ],
          ["Free inodes", target.free_inodes == null ? null : count(target.free_inodes)],
          ["Reserved space", <Bytes key="reserve" bytes={target.reserve_bytes} />],
          [
            "Device",
            target.device
              ? `${target.device} ${device?.model ?? ""} ${device?.rotational == null ? "" : device.rotational ? "(rotational)" : "(non-rotational)"}`
              : "no local device",
          ],
          ["Write cache", device?.write_cache],
          ["Scheduler", device?.scheduler],
          [
            "Read-ahead",
            device?.read_ahead_bytes == null ? null : formatBlock(device.read_ahead_bytes),
          ],
          ["O_DIRECT", target.direct ? DIRECT[target.direct] : null],
          ["Alignment", target.alignment_bytes ? `${target.alignment_bytes} B` : null],
          ["Array", target.array ? arrayOf(target.array) : "none"],
          ["Labels", <LabelChips key="labels" labels={target.labels} />],
          ["External reference", target.reference],
          ["Managed by", target.managed_by ? `the file ${target.managed_by}` : null],
          ["Checked", <RelativeTime key="checked" at={target.checked_at} />],
        ]}
      />
      {target.notes.length > 0 ? (
        <div className={classes.notes}>
          {target.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      ) : null}
    </>
  );
}

/** Whether the user may change a host and its targets: Assay's own are the administrator's. */
export const useMayChangeHost = ({ connection }: Pick<Host, "connection">): boolean =>
  useCan(connection === "local" ? "admin" : "operator");
