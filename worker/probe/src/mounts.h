/* Mounted file systems, from /proc/self/mountinfo, and their properties. */
#ifndef ASSAY_MOUNTS_H
#define ASSAY_MOUNTS_H

#include "blockdev.h"
#include "json.h"

#include <stdbool.h>
#include <stddef.h>

struct mount {
    int id;
    unsigned major, minor;
    char *root;
    char *point;
    char *options; /* of the mount */
    char *type;
    char *source;
    char *super_options; /* of the file system */
};

struct mounts {
    char *text; /* the memory of the strings */
    struct mount *list;
    size_t count;
};

bool mounts_read(struct mounts *mounts);

/* As another process sees them, by its number. */
bool mounts_read_of(struct mounts *mounts, const char *process);
void mounts_free(struct mounts *mounts);

/* The mount that an absolute path leads to, by its name alone: nothing is opened, which could hang
 * on a dead server. NULL if there is none. */
const struct mount *mounts_above(const struct mounts *mounts, const char *path);

/* The mount of an open file or directory, NULL if it cannot be found. */
const struct mount *mounts_of(const struct mounts *mounts, int descriptor);

/* local, network, parallel, zfs, memory or overlay. */
const char *mount_kind(const struct mount *mount);

/* False for proc, sysfs, cgroup and the like, which have no user data. */
bool mount_holds_data(const struct mount *mount);

/* Writes the field `options`: those of the mount, then those of its file system. */
void mount_options(struct text *text, const struct mount *mount);

/* The file system's identity, at least 64 bytes: its UUID if the kernel or /dev/disk reports it,
 * else "fsid:" and f_fsid in hexadecimal; empty if there is neither. */
void mount_uuid(const struct mount *mount, int descriptor, char *uuid);

/* Decodes \ooo, the escape for spaces in the kernel's lists of mounts, in place. */
char *mounts_unescape(char *field);

/* The name of the block device behind a path of /dev, at least 64 bytes; false if there is none. */
bool mounts_block_name(const char *path, char *name);

/* The name of the file system's top block device ("vda1"), at least 64 bytes; empty for network,
 * memory and pool file systems. */
void mount_device(const struct mount *mount, char *name);

/* The whole disks below the file system of an open directory: all members of a btrfs; none for
 * network, memory and pool file systems. */
void mount_disks(const struct mount *mount, int descriptor, struct disks *disks);

#endif
