import { Checkbox, Radio } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Host, Target } from "@/api/shapes";
import { Empty } from "@/components/feedback/Notices";
import { HostLegend } from "@/features/hosts/HostLegend";
import { storageOf } from "@/features/targets/describe";
import { type Arrangement, type End, type EndLimits, type Ends, endKey, knownEnd } from "./ends";
import classes from "./Transfers.module.css";

interface EndChoiceProps {
  hosts: readonly Host[];
  targets: readonly Target[];
  ends: Ends;
  limits: EndLimits;
  arrangement: Arrangement;
  onChange: (ends: Ends) => void;
}

/** Selects where data comes from and where it goes: targets, or the memory of hosts. */
export function EndChoice({ hosts, targets, ends, limits, arrangement, onChange }: EndChoiceProps) {
  if (hosts.length === 0) {
    return (
      <Empty title="No hosts yet">
        A transfer has a source and a sink, on one or two hosts.{" "}
        <Link to="/hosts/new">Add a host</Link> first.
      </Empty>
    );
  }
  const lists = { hosts, targets };
  const { sources, sinks } = ends;
  if (arrangement === "mesh") {
    return (
      <Side
        {...lists}
        label="Ends of the mesh"
        several
        chosen={sources}
        onChoose={(chosen) => onChange({ sources: chosen, sinks: chosen })}
      />
    );
  }
  return (
    <div className={classes.sides}>
      <Side
        {...lists}
        label={limits.severalSources ? "Sources" : "Source"}
        several={limits.severalSources}
        chosen={sources}
        onChoose={(chosen) => onChange({ sources: chosen, sinks })}
      />
      <Side
        {...lists}
        label={limits.severalSinks ? "Sinks" : "Sink"}
        several={limits.severalSinks}
        chosen={sinks}
        onChoose={(chosen) => onChange({ sources, sinks: chosen })}
      />
    </div>
  );
}

interface SideProps {
  label: string;
  /** Several can be selected. */
  several: boolean;
  hosts: readonly Host[];
  targets: readonly Target[];
  chosen: readonly End[];
  onChoose: (ends: End[]) => void;
}

function Side({ label, several, hosts, targets, chosen, onChoose }: SideProps) {
  const Control = several ? Checkbox : Radio;
  const keys = chosen.map(endKey);
  const isDisabled = (host: Host, end: End) =>
    host.state !== "ready" && !keys.includes(endKey(end)); // what is selected can be deselected
  const ends = new Map<string, End>();
  const keyOf = (end: End): string => {
    ends.set(endKey(end), end);
    return endKey(end);
  };
  const choose = (keys: string[]) => onChoose(keys.flatMap((key) => ends.get(key) ?? []));
  const places = [...hosts]
    .sort((one, other) => one.name.localeCompare(other.name))
    .map((host) => (
      <fieldset key={host.id} className={classes.host}>
        <HostLegend host={host} />
        {targets
          .filter(({ host_id }) => host_id === host.id)
          .map((target) => (
            <Control
              key={target.id}
              className={classes.end}
              value={keyOf({ target_id: target.id })}
              disabled={isDisabled(host, { target_id: target.id })}
              label={<code>{target.path}</code>}
              description={storageOf(target)}
            />
          ))}
        <Control
          className={classes.end}
          value={keyOf({ host_id: host.id })}
          disabled={isDisabled(host, { host_id: host.id })}
          label={`Memory of ${host.name}`}
          description="No disk is used."
        />
      </fieldset>
    ));
  const unknown = chosen.filter((end) => knownEnd(end, hosts, targets) === null);
  const shared = { label, classNames: { label: classes.label } };
  return several ? (
    <Checkbox.Group {...shared} value={keys} onChange={choose}>
      <UnknownEnds ends={unknown} keyOf={keyOf} several />
      {places}
    </Checkbox.Group>
  ) : (
    <Radio.Group {...shared} value={keys[0] ?? ""} onChange={(key) => choose([key])}>
      <UnknownEnds ends={unknown} keyOf={keyOf} several={false} />
      {places}
    </Radio.Group>
  );
}

interface UnknownEndsProps {
  ends: readonly End[];
  keyOf: (end: End) => string;
  several: boolean;
}

/** Selected ends that do not exist: a link may name them. */
function UnknownEnds({ ends, keyOf, several }: UnknownEndsProps) {
  const Control = several ? Checkbox : Radio;
  return ends.map((end) => (
    <Control
      key={keyOf(end)}
      value={keyOf(end)}
      label={"target_id" in end ? `Target ${end.target_id}` : `Memory of host ${end.host_id}`}
      error={`There is no such ${"target_id" in end ? "target" : "host"}. Select another end.`}
    />
  ));
}
