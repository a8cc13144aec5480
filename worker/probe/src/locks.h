/* The locks of a run: on its target's directory and on each disk below it, so that a second
 * appliance or a manually started probe cannot measure there unnoticed.
 *
 * * Disks are locked by files named by device number in the first of /run/lock and /tmp in which
 * every user may write and none may remove another's files: opening the device itself would need
 * root. A file system without a disk is locked by its own number. The directory itself is locked
 * by flock, which leaves nothing there and is also seen by containers with a /run/lock of their
 * own. Where other hosts reach it, or flock is refused, a lock file in it does the same; the run
 * directory notes it until it is gone. */
#ifndef ASSAY_LOCKS_H
#define ASSAY_LOCKS_H

#include "lockfile.h"
#include "plan.h"

#include <stddef.h>

#define LOCK_NAME ".assay.lock"
#define LOCK_NOTE "target-lock" /* in the run directory: where a lock file was made */
#define LOCKS_MOST 65

struct locks {
    struct holder own;
    struct lockfile held[LOCKS_MOST];
    size_t count;
    bool shared; /* with another participant of this run */
    int dir; /* the target, by flock; -1 without */
    char missing[256]; /* what could not be locked, and why; or empty */
};

/* The holder of a required lock, in one line. */
struct refusal {
    char message[640];
};

/* Takes all locks, or none: then false, with who holds one in `refusal`. A target that cannot be opened is left to the run itself to report. */
bool locks_take(struct locks *locks, int rundir, const struct plan *plan, struct refusal *refusal);

/* The detached process takes over the locks: they name it, and its test directory. */
void locks_adopt(struct locks *locks, const char *workdir);

/* `rundir` is where they were noted. */
void locks_release(struct locks *locks, int rundir);

/* Removes the lock file that a dead run left in its target; false with errno. */
bool locks_sweep(int rundir);

#endif
