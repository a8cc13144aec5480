import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { inventoryQuery, targetsQuery } from "@/api/queries";
import type { Host, Target } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { Empty } from "@/components/feedback/Empty";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { Matches } from "@/features/targets/Matches";
import { TargetEdit } from "@/features/targets/TargetEdit";
import { TargetFacts } from "@/features/targets/TargetFacts";
import { TargetForm } from "@/features/targets/TargetForm";
import { holding } from "./filesystem";
import classes from "./TargetsOfHost.module.css";
import { useMayChangeHost } from "./useMayChangeHost";

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
          {target.name !== target.path ? <span className={classes.name}>{target.name}</span> : null}
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
