import type { Run } from "@/api/shapes";
import { formatBlock, formatBytes, formatDuration } from "@/components/quantities";

type OverRun = Run["participants"][number]["conditions"];
type Reading = NonNullable<OverRun["start"]>;

/** A condition at start and end as text; `changed` marks a setting or a health figure that differs. */
export interface ConditionRow {
  name: string;
  start: string;
  end: string;
  changed: boolean;
}

const NOT_RECORDED = "not recorded";
const TEMPERATURE = "Temperature of ";

/** The conditions of a host in rows: settings, then temperatures, then the devices' health. */
export function conditionRows({ start, end }: OverRun): ConditionRow[] {
  const [before, after] = [values(start), values(end)];
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => {
    const from = before.get(name);
    const to = after.get(name);
    return {
      name,
      start: from ?? NOT_RECORDED,
      end: to ?? NOT_RECORDED,
      // a temperature always differs
      changed:
        from !== undefined && to !== undefined && from !== to && !name.startsWith(TEMPERATURE),
    };
  });
}

function values(reading: Reading | null): Map<string, string> {
  if (!reading) return new Map();
  const { governors, vm, temperatures, health, unreadable } = reading;
  const why = new Map(unreadable.map(({ what, reason }) => [what, `not readable: ${reason}`]));
  const setting = (name: keyof Reading["vm"], format: (value: number) => string) => {
    const value = vm[name];
    return [
      `vm.${name}`,
      value === null ? (why.get(`vm.${name}`) ?? "not readable") : format(value),
    ] as const;
  };
  const known = new Map<string, string>([
    ["CPU governor", governorText(governors) ?? why.get("governor") ?? "not readable"],
    setting("dirty_ratio", (value) => ratio(value, vm.dirty_bytes)),
    setting("dirty_bytes", (value) => bytes(value, vm.dirty_ratio)),
    setting("dirty_background_ratio", (value) => ratio(value, vm.dirty_background_bytes)),
    setting("dirty_background_bytes", (value) => bytes(value, vm.dirty_background_ratio)),
    setting("dirty_expire_centisecs", seconds),
    setting("dirty_writeback_centisecs", seconds),
    ...temperatures.map(
      ({ source, device, sensor, millidegrees_c }) =>
        [
          `${TEMPERATURE}${source === "device" ? device : "thermal zone"} (${sensor})`,
          `${(millidegrees_c / 1000).toFixed(1)} °C`,
        ] as const,
    ),
    ...health.map((device) => [`Health of ${device.device}`, healthText(device)] as const),
  ]);
  for (const [what, reason] of why) {
    if (what !== "governor" && !what.startsWith("vm.")) {
      known.set(what.charAt(0).toUpperCase() + what.slice(1), reason);
    }
  }
  return known;
}

function governorText(governors: Reading["governors"]): string | null {
  const [only, ...others] = governors;
  if (!only) return null;
  if (others.length === 0) return `${only.name} (all ${only.cpus} CPUs)`;
  return governors.map(({ name, cpus }) => `${name} (${cpus} CPUs)`).join(", ");
}

/** The kernel sets the ratio to 0 when bytes are given, and the other way around. */
const ratio = (value: number, other: number | null) =>
  value === 0 && other ? "0 (vm.*_bytes applies)" : `${value} %`;
const bytes = (value: number, other: number | null) =>
  value === 0 && other ? "0 (vm.*_ratio applies)" : formatBytes(value);
const seconds = (centiseconds: number) => formatDuration(centiseconds / 100);

function healthText({ state, io_errors, members_missing }: Reading["health"][number]): string {
  return [
    state,
    io_errors === null ? null : `${io_errors} failed commands`,
    members_missing === null ? null : `${members_missing} RAID members missing`,
  ]
    .filter((part) => part !== null)
    .join(", ");
}

const FORMATS: Record<string, (bytes: number) => string> = {
  read_ahead_bytes: formatBlock,
  alignment_bytes: formatBlock,
  array_cache_bytes: formatBytes,
  mem_total_bytes: formatBytes,
  mem_limit_bytes: formatBytes,
};

/** A condition that is a size, in the units of its kind; null for any other condition. */
export const conditionSize = (name: string, value: unknown): string | null =>
  typeof value === "number" ? (FORMATS[name]?.(value) ?? null) : null;

/** The values of several participants without those that the memory of a host does not have. */
export function ofTargets({ participants }: Pick<Run, "participants">, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const known = value.filter((one, index) => one !== null || participants[index]?.target !== null);
  return known.length > 0 ? known : null;
}
