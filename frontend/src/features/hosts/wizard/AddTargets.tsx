import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { inventoryQuery, targetsQuery } from "@/api/queries";
import type { FileSystem, Host, Target } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import form from "@/components/form/Form.module.css";
import { Bytes } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import {
  arrayOf,
  holding,
  isWritable,
  kindOf,
  mediumOf,
  objectionTo,
} from "@/features/targets/describe";
import { TargetForm } from "@/features/targets/TargetForm";
import classes from "./HostWizard.module.css";

/** Step 4: select a file system, then enter the directory. */
export function AddTargets({ host }: { host: Host }) {
  const [path, setPath] = useState("");
  const inventory = useQuery(inventoryQuery(host.id));
  const targets = useQuery(targetsQuery(host.id));
  const made = targets.data?.items ?? [];
  return (
    <Resolved query={inventory} what="file systems">
      {({ body }) => {
        const chosen = holding(body.filesystems, path);
        return (
          <>
            <fieldset className={classes.list}>
              <legend className={classes.legend}>File systems on {host.name}</legend>
              {body.filesystems.map((fs) => (
                <FileSystemChoice
                  key={fs.mount}
                  fs={fs}
                  chosen={fs.mount === chosen?.mount}
                  onChoose={() => setPath(fs.mount)}
                />
              ))}
            </fieldset>
            <TargetForm
              hostId={host.id}
              path={path}
              onPath={setPath}
              onRoot={chosen?.mount === "/"}
              primary={made.length === 0}
              onMade={() => setPath("")}
            />
            {made.length > 0 ? <Made host={host} targets={made} /> : null}
          </>
        );
      }}
    </Resolved>
  );
}

type ChoiceProps = { fs: FileSystem; chosen: boolean; onChoose: () => void };

function FileSystemChoice({ fs, chosen, onChoose }: ChoiceProps) {
  const objection = objectionTo(fs);
  return (
    <label className={classes.choice} data-chosen={chosen || undefined}>
      <input
        type="radio"
        name="filesystem"
        checked={chosen}
        disabled={!isWritable(fs)}
        onChange={onChoose}
      />
      <code className={classes.mount}>{fs.mount}</code>
      <span>{kindOf(fs)}</span>
      <span>
        <code>{fs.device ?? fs.source}</code> {fs.model ?? ""}
      </span>
      <span>{mediumOf(fs)}</span>
      <span>
        <Bytes bytes={fs.free_bytes} /> free
      </span>
      {objection ? <span className={classes.objection}>{objection}</span> : null}
    </label>
  );
}

function Made({ host, targets }: { host: Host; targets: Target[] }) {
  return (
    <div className={classes.made}>
      <ul className={classes.targets}>
        {targets.map((target) => (
          <li key={target.id}>
            <StateBadge state="ready" word="target" /> <code>{target.path}</code> ·{" "}
            <Bytes bytes={target.free_bytes} /> free
            {target.array ? ` · ${arrayOf(target.array)}` : null}
          </li>
        ))}
      </ul>
      <div className={form.actions}>
        <Button
          renderRoot={(props) => (
            <Link
              to="/launch"
              search={{ targets: targets.map(({ id }) => id).join(",") }}
              {...props}
            />
          )}
        >
          Launch campaign
        </Button>
        <Button
          variant="subtle"
          renderRoot={(props) => <Link to="/hosts/$id" params={{ id: host.id }} {...props} />}
        >
          View {host.name}
        </Button>
      </div>
    </div>
  );
}
