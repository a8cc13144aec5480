/* The run directory: the files shared by a detached probe and the other verbs.
 *
 *   lock           held exclusively by the probe for its whole life; contains its pid
 *   generation     the highest generation seen; replaced atomically, never lowered
 *   watch          the watch deadline in CLOCK_BOOTTIME, and its length; extended by `follow`
 *   stop           exists if a stop was requested
 *   release        the last released trial, and its start time
 *   verified       what another host has read back of a trial's files
 *   connect        where the other end of a trial listens
 *   orders         the commands of another program that a trial observes (see orders.h)
 *   ssh_config, known_hosts  for its login at the other end
 *   workdir        the test directory in the target (see workdir.h)
 *   files          the named test files in it
 *   events.ndjson  the spool (see spool.h)
 *
 * Locks are open-file-description locks: the daemon inherits the one that `start` took,
 * and any process can check whether it is held. */
#ifndef ASSAY_RUNDIR_H
#define ASSAY_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens the directory, or returns -1 with errno. With `create`, it and its missing parents are
 * created with mode 0700. */
int rundir_open(const char *path, bool create);

/* Takes the run lock; returns its descriptor, or -1 with errno EAGAIN if it is held. */
int rundir_lock(int dir);
/* Whether it is held; also true if that cannot be determined. */
bool rundir_locked(int dir);
void rundir_write_pid(int lock);
pid_t rundir_pid(int dir);

/* Raises the stored generation to `generation`; false if a higher one was seen, or with errno if
 * it cannot be read or written. */
bool rundir_fence(int dir, uint64_t generation);
uint64_t rundir_generation(int dir);

/* False with errno; a run must not begin without a deadline. */
bool rundir_watch_begin(int dir, uint64_t watch_ns);
void rundir_watch_renew(int dir);
bool rundir_watch_passed(int dir);

bool rundir_ask_stop(int dir);
bool rundir_stop_asked(int dir);
bool rundir_clear_stop(int dir); /* false with errno */

/* The decision about a trial that waits at the barrier or is in progress. */
enum release { RELEASE_NONE, RELEASE_AT, RELEASE_FINISH, RELEASE_ABORT };
/* Releases the trial at `at_ns` of CLOCK_BOOTTIME, lets it finish, because the other end has, or aborts it; false with
 * errno. */
bool rundir_release(int dir, uint64_t trial, enum release release, uint64_t at_ns);
enum release rundir_released(int dir, uint64_t trial, uint64_t *at_ns);
bool rundir_clear_release(int dir); /* false with errno */

/* What another host has read back of an attempt's files, at most VERIFIED_MOST bytes. */
#define VERIFIED_MOST 2048
bool rundir_verified(int dir, uint64_t trial, uint64_t attempt, const char *report);
/* False if there is none of this attempt. */
bool rundir_find_verified(int dir, uint64_t trial, uint64_t attempt, char report[VERIFIED_MOST]);

/* Where the other end of a trial listens: a numeric address and a port. False with errno, or if
 * nothing was said about this trial. */
#define PEER_ADDRESS 64
bool rundir_connect(int dir, uint64_t trial, const char *address, uint64_t port);
bool rundir_connected(int dir, uint64_t trial, char address[PEER_ADDRESS], uint64_t *port);
bool rundir_clear_connect(int dir);

/* Small files: read completely into a NUL-terminated buffer (length or -1), replaced atomically. */
ssize_t rundir_read(int dir, const char *name, char *buffer, size_t size);
bool rundir_replace(int dir, const char *name, const char *data, size_t length);

/* Syncs a file and its name to the host's disk; false with errno. */
bool rundir_sync(int dir, const char *name);

#endif
