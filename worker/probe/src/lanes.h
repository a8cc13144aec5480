/* Lanes: the threads that do a trial's I/O. A lane owns its counters, on cache lines of its
 * own; it alone writes them, with relaxed stores and a version that is odd while they
 * change, so the sampler reads a consistent set without a lock. Peak and low are exchanged
 * by the sampler. Blocks of a shared file are dealt out by one atomic counter; a file that
 * has one lane is counted privately.
 *
 * An operation is timed by the clock before and after its call alone. What a lane does between its
 * calls (making or verifying data, or waiting for its data thread) is in the trial's time, but
 * in no latency, and is counted. */
#ifndef ASSAY_LANES_H
#define ASSAY_LANES_H

#include "blocks.h"
#include "histogram.h"
#include "plan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct crew;

struct lane {
    _Alignas(LINE) _Atomic uint64_t version;
    _Atomic uint64_t ops;
    _Atomic uint64_t latency_sum;
    _Atomic uint64_t op_start; /* of the operation in flight; 0 when there is none */
    _Atomic uint64_t peak;     /* since the sampler last took it */
    _Atomic uint64_t low;
    _Atomic uint64_t last_end; /* of the last operation that was counted */

    _Alignas(LINE) struct crew *crew;
    struct test_file *file;
    struct blocks blocks;
    pthread_t thread;
    int schedstat; /* of this thread in /proc; -1 where absent */
    bool has_run_delay;
    uint64_t run_delay_ns; /* as last read by the sampler */
    bool syncs; /* this lane does its file's final sync */
    atomic_bool idle; /* it waits or has ended: nothing of it hangs in the kernel */
    /* written by the lane, read after it is done */
    uint64_t latency_min, latency_max;
    uint64_t synced_ns; /* when its final sync returned; 0 without one */
    uint64_t data_ns;         /* between its calls, until the last one returned */
    int error;                /* errno of what failed */
    atomic_int sync_error; /* also read while other lanes still sync */
    bool timed_out;
    uint64_t histogram[HISTOGRAM_STEPS];
};

enum stage { STAGE_WAIT, STAGE_WORK, STAGE_SYNC, STAGE_LEAVE };

/* What the lanes of a trial share with the thread that measures them. */
struct crew {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on CLOCK_MONOTONIC */
    enum stage stage;       /* under the mutex */
    uint64_t preparing;     /* lanes that have not touched their memory */
    uint64_t working;       /* lanes that have not done their work */
    uint64_t syncing;
    uint64_t present; /* lanes whose thread has not ended */
    uint64_t started_ns;
    _Alignas(LINE) atomic_bool stop; /* read at each operation, written once */
    atomic_bool closed;              /* an operation that returns now is not counted any more */
    uint64_t deadline_ns;
    uint64_t block;
    bool reads;
    bool threaded; /* lanes have data threads */
    struct lane *lanes;
    uint64_t count;
};

/* Starts the lanes, which prepare their memory and wait for the signal; false with errno when a
 * thread cannot be made. */
bool crew_start(struct crew *crew);

/* Starts the trial's clock and lets them work. */
void crew_work(struct crew *crew, uint64_t timeout_ns);
void crew_sync(struct crew *crew);

/* Waits until `until` (CLOCK_MONOTONIC) or until all lanes have done the present stage,
 * which is what it returns. `now` is the time at which a lane was still found at work. */
bool crew_wait(struct crew *crew, uint64_t until, uint64_t *now);

/* Signals lanes that hang in the kernel: some waits (FUSE, soft mounts) end by a signal. */
void crew_interrupt(struct crew *crew);

/* Tells the lanes to end. */
void crew_leave(struct crew *crew);

/* Waits until `until` (CLOCK_MONOTONIC) or until all lanes have ended, which is what it returns. */
bool crew_gone(struct crew *crew, uint64_t until, uint64_t *now);

/* How long the lanes have waited for a CPU, all together; false where it is not told. */
bool crew_run_delay(struct crew *crew, uint64_t *ns);

/* Joins lanes that have ended. */
void crew_end(struct crew *crew);

/* Gives lanes up that hang in the kernel: what they still do is not counted. The counters stand
 * still when it returns. */
void crew_abandon(struct crew *crew);

/* One consistent look at a lane's counters. */
struct tally {
    uint64_t ops, latency_sum;
};
struct tally lane_tally(const struct lane *lane);

/* When the last operation returned that a lane has counted, also while another is in flight. */
uint64_t lane_last_end(const struct lane *lane);

#endif
