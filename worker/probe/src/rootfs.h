/* Whether what is written below a directory is stored on the root file system. */
#ifndef ASSAY_ROOTFS_H
#define ASSAY_ROOTFS_H

#include "json.h"
#include "mounts.h"

/* Writes is_root_fs (null where it cannot be determined) and root_fs_through: the path, other than
 * the directory itself, by which writes reach the root file system or are lost sight of; else null.
 *
 * Writes are followed through bind mounts, the upper directory of an overlay, the image of a loop
 * device below any stack of mappings, and the source of a FUSE file system. All subvolumes of a
 * btrfs and all file systems of a ZFS pool share their space, so they are one file system here. */
void rootfs_fields(struct text *text, const struct mounts *mounts, int directory);

#endif
