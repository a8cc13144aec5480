import type { Target } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import { arrayOf } from "@/features/arrays/describe";

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
