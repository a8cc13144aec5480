/* The test directory: the only place in a target that the probe touches. It is made by the
 * probe (mkdir fails when the name exists; the name is random), used by directory
 * descriptors, holds regular files only, and is removed at the end whatever happens. What
 * was made is recorded in the run directory first, so that a dead run's directory is found
 * and removed by its identity (device and inode), never by its name alone. */
#ifndef ASSAY_WORKDIR_H
#define ASSAY_WORKDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct workdir {
    char name[64];
    int target; /* descriptors; -1 when not open */
    int dir;
};

/* Makes the directory inside the open directory `target` at `path`; false with errno. */
bool workdir_make(struct workdir *workdir, int rundir, int target, const char *path, const char *run);

/* Removes a test file. A large one is first cut down in steps, so that no single call
 * keeps the file system's journal busy for seconds. */
void workdir_remove_file(const struct workdir *workdir, const char *name);

/* Removes what is left inside, the directory and its record; false when something stays. */
bool workdir_remove(struct workdir *workdir, int rundir, uint64_t *bytes);

/* Removes the test directory that a dead run recorded. */
enum leftover { LEFTOVER_NONE, LEFTOVER_REMOVED, LEFTOVER_FAILED };
struct swept {
    char path[4096]; /* of the test directory */
    char reason[160]; /* why it failed */
    uint64_t bytes;
};
enum leftover workdir_sweep(int rundir, struct swept *swept);

#endif
