/* The test directory: the only place in a target that the probe touches. It is made by the
 * probe (mkdir fails when the name exists; the name is random), used by directory
 * descriptors, holds regular files only, and is removed at the end whatever happens.
 *
 * Where the file system treats them alike, test files have no name (O_TMPFILE), so that they go
 * with the process that made them, however it ends. Elsewhere they are named. What has a name is
 * recorded in the run directory, with device and inode: a directory or file is removed only when
 * it is the one recorded, never by its name alone. */
#ifndef ASSAY_WORKDIR_H
#define ASSAY_WORKDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct errand;

struct workdir {
    char name[64];
    int target; /* descriptors; -1 when not open */
    int dir;
    int rundir;
    struct errand *errand; /* which names the calls; NULL in another process */
};

/* Makes the directory inside the open directory `target` at `path`; false with errno. */
bool workdir_make(struct workdir *workdir, int rundir, int target, const char *path, const char *run);

/* Whether unnamed files can be used, on a file system of this type: their cost and durability
 * must equal those of named ones. */
bool workdir_keeps_unnamed(const struct workdir *workdir, const char *fs_type);

/* Makes a test file, without a name when `name` is NULL; its descriptor, or -1 with errno. */
int workdir_create(const struct workdir *workdir, const char *name, int flags);

/* Opens a file again that is open as `file`, with flags of its own; -1 with errno. */
int workdir_reopen(int file, int flags);

/* Removes and closes the test file that is open as `file`. A large one is first cut down in
 * steps of 1 GiB, so that no single call keeps the file system's journal busy for long. */
void workdir_discard(const struct workdir *workdir, int file, const char *name);

/* Names a file in the record that is about to be made by somebody else than workdir_create. */
bool workdir_announce(const struct workdir *workdir, const char *name);

/* Removes what is left inside, the directory and its records; false when something stays. */
bool workdir_remove(struct workdir *workdir, uint64_t *bytes);

/* Removes the test directory that a dead run recorded. */
enum leftover { LEFTOVER_NONE, LEFTOVER_REMOVED, LEFTOVER_FAILED };
struct swept {
    char path[4096]; /* of the test directory */
    char reason[160]; /* why it failed */
    uint64_t bytes;
};
enum leftover workdir_sweep(int rundir, struct swept *swept);

#endif
