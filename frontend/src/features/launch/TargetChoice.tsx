import { Checkbox, Radio } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Host, Target } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { HostLegend } from "@/features/hosts/HostLegend";
import { storageOf } from "@/features/targets/describe";
import type { Execution } from "./plan";
import classes from "./TargetChoice.module.css";

type Props = {
  targets: Target[];
  hosts: Host[];
  chosen: number[];
  onChange: (ids: number[]) => void;
};

/** Selects targets, grouped by host; a host that is not ready shows why. */
export function TargetChoice({ targets, hosts, chosen, onChange }: Props) {
  if (targets.length === 0) {
    return (
      <Empty title="No targets yet">
        A target is a directory on a host that tests may write to.{" "}
        <Link to="/hosts/new">Add a host</Link> first.
      </Empty>
    );
  }
  const toggle = (id: number) =>
    onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  const withTargets = hosts
    .filter((host) => targets.some(({ host_id }) => host_id === host.id))
    .sort((one, other) => one.name.localeCompare(other.name));
  const unknown = chosen.filter((id) => !targets.some((target) => target.id === id));
  return (
    <div className={classes.hosts}>
      {unknown.map((id) => (
        <Checkbox
          key={id}
          checked
          onChange={() => toggle(id)}
          label={`Target ${id}`}
          error="There is no such target. Deselect it."
        />
      ))}
      {withTargets.map((host) => (
        <fieldset key={host.id} className={classes.host}>
          <HostLegend host={host} />
          {targets
            .filter(({ host_id }) => host_id === host.id)
            .map((target) => (
              <Checkbox
                key={target.id}
                className={classes.target}
                checked={chosen.includes(target.id)}
                disabled={host.state !== "ready" && !chosen.includes(target.id)}
                onChange={() => toggle(target.id)}
                label={<code>{target.path}</code>}
                description={storageOf(target)}
              />
            ))}
        </fieldset>
      ))}
    </div>
  );
}

/** Whether each target is measured by itself, all at the same time, or one, then two, … at a time. */
export function ExecutionChoice({
  execution,
  onChange,
  error,
}: {
  execution: Execution;
  onChange: (execution: Execution) => void;
  error: string | undefined;
}) {
  return (
    <Radio.Group
      className={classes.together}
      label="Execution"
      value={execution}
      error={error}
      onChange={(value) => onChange(value as Execution)}
    >
      <div className={classes.options}>
        <Radio
          value="each"
          label="Each target by itself"
          description="Each test runs once per target."
        />
        <Radio
          value="together"
          label="All targets together"
          description="Each test runs once, on all targets at the same time: aggregate rate, shares and fairness."
        />
        <Radio
          value="scale_out"
          label="Scale-out"
          description="Each test runs on the first selected target, then on the first two together, and so on up to all: efficiency against N × one target."
        />
      </div>
    </Radio.Group>
  );
}
