/* Lanes: the threads that do a trial's I/O. A lane owns its counters, on cache lines of its
 * own; it alone writes them, with relaxed stores and a version that is odd while they
 * change, so the sampler reads a consistent set without a lock. Peak and low are exchanged
 * by the sampler. Blocks of a shared file are dealt out by one atomic counter; a file that
 * has one lane is counted privately.
 *
 * One clock call an operation: the end of one is the start of the next, so the few
 * nanoseconds of stamping lie inside the operation that they serve. */
#ifndef ASSAY_LANES_H
#define ASSAY_LANES_H

#include "histogram.h"
#include "plan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LINE 64
#define FILE_NAME 48

struct test_file {
    _Alignas(LINE) _Atomic uint64_t next; /* block to be done, where lanes share the file */
    _Alignas(LINE) uint64_t blocks;
    uint64_t key; /* in each stamp: which run and file */
    int file;
    bool shared;
    char name[FILE_NAME];
};

struct crew;

struct lane {
    _Alignas(LINE) _Atomic uint64_t version;
    _Atomic uint64_t ops;
    _Atomic uint64_t latency_sum;
    _Atomic uint64_t op_start; /* of the operation in flight; 0 when there is none */
    _Atomic uint64_t peak;     /* since the sampler last took it */
    _Atomic uint64_t low;

    _Alignas(LINE) struct crew *crew;
    struct test_file *file;
    char *pool;
    uint64_t stride; /* distance of one block-sized window in the pool from the next */
    uint64_t windows;
    uint64_t counter; /* of the next stamp */
    pthread_t thread;
    bool syncs; /* this lane does its file's final sync */
    atomic_bool idle; /* it waits or has ended: nothing of it hangs in the kernel */
    /* written by the lane, read after it is done */
    uint64_t latency_min, latency_max, last_end;
    uint64_t verify_errors;
    int error;       /* errno of the operation that failed */
    int sync_error;
    bool timed_out;
    uint64_t histogram[HISTOGRAM_STEPS];
};

enum stage { STAGE_WAIT, STAGE_WORK, STAGE_SYNC, STAGE_LEAVE };

/* What the lanes of a trial share with the thread that measures them. */
struct crew {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on CLOCK_MONOTONIC */
    enum stage stage;       /* under the mutex */
    uint64_t working;       /* lanes that have not done their work */
    uint64_t syncing;
    uint64_t started_ns;
    _Alignas(LINE) atomic_bool stop; /* read at each operation, written once */
    uint64_t deadline_ns;
    uint64_t block;
    bool reads;
    struct lane *lanes;
    uint64_t count;
};

/* Starts the lanes, which wait for the signal; false with errno when a thread can not be made. */
bool crew_start(struct crew *crew);

/* Starts the trial's clock and lets them work. */
void crew_work(struct crew *crew, uint64_t timeout_ns);
void crew_sync(struct crew *crew);

/* Waits until `until` (CLOCK_MONOTONIC) or until all lanes have done the present stage,
 * which is what it returns. */
bool crew_wait(struct crew *crew, uint64_t until);

/* Signals lanes that hang in the kernel: some waits (FUSE, soft mounts) end by a signal. */
void crew_interrupt(struct crew *crew);

/* Ends and joins the lanes. */
void crew_end(struct crew *crew);

/* One consistent look at a lane's counters. */
struct tally {
    uint64_t ops, latency_sum;
};
struct tally lane_tally(const struct lane *lane);

#endif
