/** Hosts, targets, arrays and file systems in words. */
import type { FileSystem, Host, StorageArray, Target } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";

/** A target besides its path, in one line: name, file system, device, free space and array. */
export const storageOf = (target: Target): string =>
  [
    target.name !== target.path ? target.name : null,
    target.fs_type,
    target.device_info?.model || target.device,
    target.free_bytes === null ? null : `${formatBytes(target.free_bytes)} free`,
    target.array ? arrayOf(target.array) : null,
  ]
    .filter(Boolean)
    .join(" · ");

/** "vault, cache 64.0 GB": the cache size determines which results the array may have served. */
export function arrayOf({ name, cache_bytes }: Pick<StorageArray, "name" | "cache_bytes">): string {
  return `${name}, ${cache_bytes ? `cache ${formatBytes(cache_bytes)}` : "cache not declared"}`;
}

/** "ada@10.0.0.7:2222": the port only if it is not SSH's default. */
export function addressOf(host: Pick<Host, "connection" | "address" | "port" | "user">): string {
  if (host.connection === "local") return "this machine";
  const user = host.user ? `${host.user}@` : "";
  const port = host.port && host.port !== 22 ? `:${host.port}` : "";
  const address = host.address ?? "";
  return `${user}${port && address.includes(":") ? `[${address}]` : address}${port}`;
}

/** "25 Gb/s", from the bits per second that a card reports. */
export const cardSpeed = (bitsPerS: number): string =>
  bitsPerS >= 1e9 ? `${bitsPerS / 1e9}\u00a0Gb/s` : `${bitsPerS / 1e6}\u00a0Mb/s`;

/** Describe a host in one line: system, CPUs, memory, network. */
export function machineOf({ summary }: Pick<Host, "summary">): string {
  if (!summary) return "Not inspected";
  const { os, cpus, mem_total_bytes, nic_bits_per_s } = summary;
  return [
    os,
    cpus ? `${cpus} ${cpus === 1 ? "CPU" : "CPUs"}` : null,
    mem_total_bytes ? `${formatBytes(mem_total_bytes)} memory` : null,
    nic_bits_per_s ? cardSpeed(nic_bits_per_s) : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

const KINDS: Record<FileSystem["kind"], string> = {
  local: "local",
  network: "network",
  parallel: "parallel",
  zfs: "ZFS",
  memory: "memory",
  overlay: "overlay",
};

/** "ext4, local" */
export const kindOf = (fs: FileSystem): string => `${fs.type}, ${KINDS[fs.kind] ?? fs.kind}`;

/** Describe the medium as the host reports it. */
export function mediumOf(fs: FileSystem): string {
  if (fs.kind === "memory") return "memory";
  if (fs.rotational === null) return "–";
  return fs.rotational ? "rotational" : "non-rotational";
}

/** Describe what prevents or limits tests on a file system; null for no issues. */
export function objectionTo(fs: FileSystem): string | null {
  const options = fs.options.split(",");
  if (options.includes("ro")) return "read-only";
  if (fs.kind === "memory") return "in memory, not storage";
  if (fs.kind === "overlay") return "container overlay, not a separate disk";
  if (fs.mount === "/")
    return "root file system: requires confirmation, because filling it stops the host";
  if (fs.kind !== "local") return "no local device: writes to the medium cannot be verified";
  return null;
}

/** Whether the file system is mounted read-write. */
export const isWritable = (fs: FileSystem): boolean => !fs.options.split(",").includes("ro");

/** Return the file system of an absolute path: the longest mount point that is a prefix. */
export function holding(filesystems: FileSystem[], path: string): FileSystem | undefined {
  if (!path.startsWith("/")) return undefined;
  const under = (mount: string) => mount === "/" || path === mount || path.startsWith(`${mount}/`);
  return filesystems
    .filter((fs) => under(fs.mount))
    .sort((a, b) => b.mount.length - a.mount.length)[0];
}
