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
