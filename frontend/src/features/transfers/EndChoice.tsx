import { Radio } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Host, Target } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { formatBytes } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { arrayOf } from "@/features/arrays/describe";
import classes from "./EndChoice.module.css";
import { type End, endKey } from "./ends";

interface EndChoiceProps {
  hosts: readonly Host[];
  targets: readonly Target[];
  source: End | null;
  sink: End | null;
  onChange: (ends: { source: End | null; sink: End | null }) => void;
}

/** Selects where data comes from and where it goes: a target, or the memory of a host. */
export function EndChoice({ hosts, targets, source, sink, onChange }: EndChoiceProps) {
  if (hosts.length === 0) {
    return (
      <Empty title="No hosts yet">
        A transfer has a source and a sink, on one or two hosts.{" "}
        <Link to="/hosts/new">Add a host</Link> first.
      </Empty>
    );
  }
  const lists = { hosts, targets };
  return (
    <div className={classes.sides}>
      <Side
        {...lists}
        label="Source"
        chosen={source}
        onChoose={(one) => onChange({ source: one, sink })}
      />
      <Side
        {...lists}
        label="Sink"
        chosen={sink}
        onChoose={(one) => onChange({ source, sink: one })}
      />
    </div>
  );
}

interface SideProps {
  label: string;
  hosts: readonly Host[];
  targets: readonly Target[];
  chosen: End | null;
  onChoose: (end: End | null) => void;
}

function Side({ label, hosts, targets, chosen, onChoose }: SideProps) {
  const ends = new Map<string, End>();
  const keyOf = (end: End): string => {
    ends.set(endKey(end), end);
    return endKey(end);
  };
  return (
    <Radio.Group
      label={label}
      classNames={{ label: classes.label }}
      value={chosen ? endKey(chosen) : ""}
      onChange={(key) => onChoose(ends.get(key) ?? null)}
    >
      {[...hosts]
        .sort((one, other) => one.name.localeCompare(other.name))
        .map((host) => (
          <fieldset key={host.id} className={classes.host}>
            <legend>
              {host.name}
              {host.state === "ready" ? null : <StateBadge state={host.state} />}
              {host.busy_run_id ? (
                <span className={classes.busy}>busy; runs will be queued</span>
              ) : null}
            </legend>
            {targets
              .filter(({ host_id }) => host_id === host.id)
              .map((target) => (
                <Radio
                  key={target.id}
                  className={classes.end}
                  value={keyOf({ target_id: target.id })}
                  disabled={host.state !== "ready"}
                  label={<code>{target.path}</code>}
                  description={diskWords(target)}
                />
              ))}
            <Radio
              className={classes.end}
              value={keyOf({ host_id: host.id })}
              disabled={host.state !== "ready"}
              label="Memory"
              description="No disk takes part."
            />
          </fieldset>
        ))}
    </Radio.Group>
  );
}

const diskWords = (target: Target): string =>
  [
    target.name !== target.path ? target.name : null,
    target.fs_type,
    target.device_info?.model || target.device,
    target.free_bytes === null ? null : `${formatBytes(target.free_bytes)} free`,
    target.array ? arrayOf(target.array) : null,
  ]
    .filter(Boolean)
    .join(" · ");
