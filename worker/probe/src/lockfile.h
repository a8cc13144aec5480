/* One lock file: at most one run holds it, and the participants of that run share it.
 *
 * The lock is an open-file-description lock, which ends with the last process that has the file
 * open. If the file system does not support such locks, or several hosts may access it without
 * sharing locks, the file's existence counts as well: its record names the holder, and it is
 * stale if its process is gone (same boot and same PID namespace) or has not touched the file for
 * LOCKFILE_STALE_S (otherwise).
 *
 * The file may be in a world-writable directory. So it is opened without following links, must be
 * a regular file with one name, and is only written if it is empty or already a record. */
#ifndef ASSAY_LOCKFILE_H
#define ASSAY_LOCKFILE_H

#include <stdbool.h>
#include <stdint.h>

#define LOCKFILE_STALE_S 300
/* How often the holder of a file that other hosts see touches it. */
#define LOCKFILE_BEAT_S 30

/* The holder of a lock, as recorded in its file. Strings have no control characters. */
struct holder {
    char run[132];
    char group[132]; /* the same for all participants of a run */
    char host[68];
    char boot[40];
    char processes[40]; /* the PID namespace of `pid` */
    uint64_t pid, started; /* started: in clock ticks since boot, to detect a reused pid */
    uint64_t since;        /* wall clock, seconds */
    char rundir[4096];
    char workdir[4160]; /* the test directory; the target before it is created */
};

enum lock_outcome { LOCK_TAKEN, LOCK_HELD, LOCK_UNAVAILABLE };

struct lockfile {
    int dir;  /* kept open; -1: no lock is held */
    int file;
    char name[64];
    bool shared;  /* another participant of the run had it before */
    bool touched; /* other hosts may see it, so it has to be touched */
};

/* Fills in this process's identity: all fields except run, group, rundir and workdir. */
void holder_identify(struct holder *holder);

/* Takes or shares the lock `name` in `dir` without waiting for its holder. LOCK_HELD fills
 * `other` (pid 0 when its record cannot be read); LOCK_UNAVAILABLE leaves errno. */
enum lock_outcome lockfile_take(struct lockfile *lock, int dir, const char *name, const struct holder *own,
                                bool across_hosts, struct holder *other);

/* Writes the holder's current identity into a lock that it holds. */
void lockfile_describe(const struct lockfile *lock, const struct holder *own);

/* Shows other hosts that the holder is alive. */
void lockfile_touch(const struct lockfile *lock);

/* Releases the lock; the last holder removes the file: false if that failed. */
bool lockfile_release(struct lockfile *lock);

/* Removes the lock file of a dead run, whose record names `rundir`; also true if there is none. */
bool lockfile_remove_dead(int dir, const char *name, const char *rundir);

#endif
