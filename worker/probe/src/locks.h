/* The locks of a run: on its target's directory and on each disk below it, so that a second
 * appliance or a manually started probe cannot measure there unnoticed.
 *
 * Disks are locked by files named by device number, in the first of /run/lock and /tmp in which
 * every user may write but not remove files of others: opening the device itself would require
 * root. A file system without a disk is locked by its device number. The directory itself is
 * locked by flock, which creates no file and is also seen by containers with a separate
 * /run/lock. If other hosts can access the directory, or flock is not supported, a lock file in
 * it is used instead; the run directory records it until it is removed. */
#ifndef ASSAY_LOCKS_H
#define ASSAY_LOCKS_H

#include "lockfile.h"
#include "plan.h"

#include <stddef.h>

#define LOCK_NAME ".assay.lock"
#define LOCK_NOTE "target-lock" /* in the run directory: where a lock file was created */
#define LOCKS_MOST 65

struct locks {
    struct holder own;
    struct lockfile held[LOCKS_MOST];
    size_t count;
    bool shared; /* with another participant of this run */
    int dir; /* the target, by flock; -1 without */
    char missing[256]; /* what could not be locked and why, or empty */
};

/* The holder of a required lock, in one line. */
struct refusal {
    char message[640];
};

/* Takes all locks or none: false if another run holds one, with its holder in `refusal`. A target
 * that cannot be opened is reported by the run itself. */
bool locks_take(struct locks *locks, int rundir, const struct plan *plan, struct refusal *refusal);

/* The detached process takes over the locks: their records name it and its test directory. */
void locks_adopt(struct locks *locks, const char *workdir);

/* `rundir` is where they were recorded. */
void locks_release(struct locks *locks, int rundir);

/* Removes the lock file of a dead run from its target; false with errno. */
bool locks_sweep(int rundir);

#endif
