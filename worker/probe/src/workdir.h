/* The test directory: the only place in a target that the probe touches. It is created by the
 * probe (mkdir fails if the name exists; the name is random), accessed through directory
 * descriptors, contains only regular files, and is removed at the end in any case.
 *
 * If the file system treats them alike, test files have no name (O_TMPFILE), so that they
 * disappear with the process that created them, however it ends. Otherwise they are named.
 * Everything with a name is recorded in the run directory, with device and inode: a directory or
 * file is removed only if it is the recorded one, never by its name alone. */
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
    struct errand *errand; /* names the calls; NULL in another process */
};

/* Creates the directory inside the open directory `target` at `path`; false with errno. */
bool workdir_make(struct workdir *workdir, int rundir, int target, const char *path, const char *run);

/* Whether unnamed files can be used, on a file system of this type: their cost and durability
 * must equal those of named ones. */
bool workdir_keeps_unnamed(const struct workdir *workdir, const char *fs_type);

/* Creates a test file, without a name if `name` is NULL; returns its descriptor, or -1 with
 * errno. */
int workdir_create(const struct workdir *workdir, const char *name, int flags);

/* The same; `took_ns` is the time of the call that creates it, without its record. */
int workdir_create_timed(const struct workdir *workdir, const char *name, int flags, uint64_t *took_ns);

/* Opens the file that is open as `file` again, with other flags; -1 with errno. */
int workdir_reopen(int file, int flags);

/* Removes and closes the test file that is open as `file`. A large file is first truncated in
 * steps of 1 GiB, so that no single call keeps the file system's journal busy for long. */
void workdir_discard(const struct workdir *workdir, int file, const char *name);

/* Creates a directory that other programs fill: everything in it belongs to the run, and is removed
 * with it. Returns its descriptor, or -1 with errno. */
#define FILLED_PREFIX "tool-"
int workdir_directory(const struct workdir *workdir, const char *name);

/* Directories of a trial's small files begin so; they are created and removed in the same way. */
#define SMALL_PREFIX "small-"

/* Removes it with everything in it; false with errno if something remains. */
bool workdir_discard_directory(const struct workdir *workdir, const char *name);

/* Records a file that is about to be created by a function other than workdir_create. */
bool workdir_announce(const struct workdir *workdir, const char *name);

/* Files whose names begin so belong to the run, not to one trial. */
#define FILL_PREFIX "fill-"

/* Removes the named files of a trial. */
void workdir_clear(const struct workdir *workdir);

/* Removes all remaining files, the directory and its records; false if something remains. */
bool workdir_remove(struct workdir *workdir, uint64_t *bytes);

/* Opens a test file of a dead run, and takes its name away, so that it is gone when it is closed; -1
 * without one. */
int workdir_take_left(int rundir, const char *name);

/* Removes the recorded test directory of a dead run. */
enum leftover { LEFTOVER_NONE, LEFTOVER_REMOVED, LEFTOVER_FAILED };
struct swept {
    char path[4096]; /* of the test directory */
    char reason[160]; /* why it failed */
    uint64_t bytes;
};
enum leftover workdir_sweep(int rundir, struct swept *swept);

#endif
