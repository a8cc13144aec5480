import type { FileSystem } from "@/api/shapes";

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

/** What kind of medium is underneath, as far as this machine can tell. */
export function mediumOf(fs: FileSystem): string {
  if (fs.kind === "memory") return "memory";
  if (fs.rotational === null) return "–";
  return fs.rotational ? "rotational" : "non-rotational";
}

/** What stands against tests there, or limits what they prove; null when nothing does. */
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

/** Whether tests could write there at all. */
export const isWritable = (fs: FileSystem): boolean => !fs.options.split(",").includes("ro");

/** The file system that holds an absolute path: the one with the longest mount point above it. */
export function holding(filesystems: FileSystem[], path: string): FileSystem | undefined {
  if (!path.startsWith("/")) return undefined;
  const under = (mount: string) => mount === "/" || path === mount || path.startsWith(`${mount}/`);
  return filesystems
    .filter((fs) => under(fs.mount))
    .sort((a, b) => b.mount.length - a.mount.length)[0];
}
