import { Select } from "@mantine/core";
import type { Host, Target } from "@/api/shapes";
import classes from "./TargetChoice.module.css";

interface ReadBackChoiceProps {
  targets: Target[];
  hosts: Host[];
  /** The targets that are written. */
  written: number[];
  chosen: number | null;
  onChange: (id: number | null) => void;
  error?: string;
}

/** Selects where another host reads the files back: targets of other hosts, the likely ones first. */
export function ReadBackChoice(props: ReadBackChoiceProps) {
  const { targets, hosts, written, chosen, onChange, error } = props;
  const offered = readersFor(targets, hosts, written);
  const isOffered = chosen === null || offered.some(({ value }) => value === String(chosen));
  return (
    <Select
      className={classes.together}
      label="Read back at"
      description="The same directory as another host of the shared file system sees it. That host is reserved for the run and only reads."
      placeholder="Select a target of another host"
      data={offered}
      value={chosen === null ? null : String(chosen)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={
        isOffered ? error : `Target ${chosen} cannot be selected here: another host must have it.`
      }
      clearable
    />
  );
}

/** Whether a source names a server; a device has the same name on many hosts. */
const isServed = (source: string): boolean => source.includes(":") || source.startsWith("//");

/** Targets of hosts that write none of the others, as options; those of the same file system first. */
export function readersFor(targets: Target[], hosts: Host[], written: number[]) {
  const own = targets.filter(({ id }) => written.includes(id));
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  const alike = (one: Target) =>
    own.some(
      ({ fs_uuid, fs_type, fs_source }) =>
        (fs_uuid && fs_uuid === one.fs_uuid) ||
        (isServed(fs_source) && fs_type === one.fs_type && fs_source === one.fs_source),
    );
  return targets
    .filter(({ host_id }) => !own.some((each) => each.host_id === host_id))
    .map((target) => ({ target, rank: alike(target) ? 0 : 1 }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ target, rank }) => ({
      value: String(target.id),
      label: `${names.get(target.host_id) ?? ""} ${target.path} \u00b7 ${target.fs_type} ${target.fs_source}${rank === 0 ? " \u00b7 same file system" : ""}`,
    }));
}
