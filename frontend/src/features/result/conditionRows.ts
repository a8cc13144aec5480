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
  /** Why it could be read neither at the start nor at the end; null if it could. */
  unread: string | null;
}

const NOT_RECORDED = "not recorded";
const NOT_READABLE = "not readable";
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
      changed: isRead(from) && isRead(to) && from !== to && !name.startsWith(TEMPERATURE),
      unread: unreadText(from, to),
    };
  });
}

const isRead = (text: string | undefined): boolean =>
  text !== undefined && !text.startsWith(NOT_READABLE);

/** The reasons why neither could be read. */
function unreadText(from: string | undefined, to: string | undefined): string | null {
  if (isRead(from) || isRead(to)) return null;
  const reasons = [from, to].flatMap((text) => text?.slice(`${NOT_READABLE}: `.length) || []);
  return [...new Set(reasons)].join("; ") || "no reason recorded";
}

export type Conditioned = Pick<Run["participants"][number], "id" | "conditions">;

/** A condition of one or more hosts, with the participants on them. */
export interface SharedRow extends ConditionRow {
  ids: number[];
}

/** The conditions of several hosts; what some of them share is one row. */
export function sharedRows(participants: readonly Conditioned[]): SharedRow[] {
  const found = new Map<string, Map<string, SharedRow>>();
  for (const { id, conditions } of participants) {
    for (const row of conditionRows(conditions)) {
      const ofName = found.get(row.name) ?? new Map<string, SharedRow>();
      found.set(row.name, ofName);
      const key = JSON.stringify(row);
      const known = ofName.get(key);
      if (known) known.ids.push(id);
      else ofName.set(key, { ...row, ids: [id] });
    }
  }
  return [...found.values()].flatMap((ofName) => [...ofName.values()]);
}

/** The conditions in a line: what changed, then what could not be read; a missing reading first. */
export function essenceOf(rows: readonly ConditionRow[]): string {
  const missing = (["start", "end"] as const).filter((when) =>
    rows.some((row) => row[when] === NOT_RECORDED),
  );
  const parts = [
    missing.length > 0 ? `${NOT_RECORDED} at the ${missing.join(" and the ")}` : null,
    firstOf(
      rows.filter(({ changed }) => changed),
      "changed",
    ),
    firstOf(
      rows.filter(({ unread }) => unread !== null),
      NOT_READABLE,
    ),
  ];
  return parts.filter((part) => part !== null).join("; ") || "no changes";
}

/** "CPU governor not readable, 4 more" */
function firstOf(rows: readonly ConditionRow[], what: string): string | null {
  const [first, ...others] = new Set(rows.map(({ name }) => name));
  if (first === undefined) return null;
  return `${first} ${what}${others.length > 0 ? `, ${others.length} more` : ""}`;
}

function values(reading: Reading | null): Map<string, string> {
  if (!reading) return new Map();
  const { governors, vm, temperatures, health, unreadable } = reading;
  const why = new Map(unreadable.map(({ what, reason }) => [what, `${NOT_READABLE}: ${reason}`]));
  const setting = (name: keyof Reading["vm"], format: (value: number) => string) => {
    const value = vm[name];
    return [
      `vm.${name}`,
      value === null ? (why.get(`vm.${name}`) ?? NOT_READABLE) : format(value),
    ] as const;
  };
  const known = new Map<string, string>([
    ["CPU governor", governorText(governors) ?? why.get("governor") ?? NOT_READABLE],
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
