/* A run: what the detached probe holds from `hello` to `end`. Its thread, the one that measures,
 * owns all of it; while an errand is under way, the errand's thread owns the target's part (sets,
 * test directory, locks) and writes events too. Lanes see only their crew. */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include "buffers.h"
#include "contention.h"
#include "counters.h"
#include "errand.h"
#include "failure.h"
#include "filesets.h"
#include "heartbeat.h"
#include "locks.h"
#include "plan.h"
#include "spool.h"
#include "target.h"
#include "testdata.h"
#include "workdir.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How often a run looks whether it is to stop. */
#define CHECK_NS (100 * NS_PER_MS)
/* A call that is in the kernel for so long after it should have returned is interrupted. */
#define INTERRUPT_NS (2 * NS_PER_S)
/* How often, at most, what takes long outside a measurement says how far it is. */
#define PROGRESS_NS NS_PER_S

enum ending { ENDING_NONE, ENDING_STOPPED, ENDING_DEADLINE, ENDING_FAILED };

struct run {
    struct plan plan;
    int rundir;
    struct spool spool;
    struct target target;
    struct locks locks;
    struct workdir workdir;
    struct counters counters;
    struct processes processes; /* of the host, as last read */
    struct heartbeat heartbeat;
    struct buffers buffers;
    struct filesets sets;
    struct errand errand;
    bool unnamed; /* test files have no name: a killed probe leaves none */
    struct pattern pattern;
    uint64_t identity; /* in each stamp: of this segment of this run */
    uint32_t passes;   /* over files, so far */
    uint64_t keys;     /* of the pattern, used so far: no data is ever written twice */
    uint64_t removed_bytes; /* of test files, since that was settled */
    uint64_t discarded_bytes; /* by the device when that was settled */
    uint64_t mem_limit;
    uint32_t alignment; /* of O_DIRECT in the target; 0 where it is refused */
    int alignment_error;
    enum ending ending;
    const char *ending_reason; /* a failure's code, or NULL */
    uint64_t ending_ns;        /* when it was decided to end, CLOCK_MONOTONIC */
    uint64_t next_check;
    uint64_t complete; /* trials */
};

/* Writes `hello`: false when the run cannot begin (the error and `end` are in the spool). */
bool run_begin(struct run *run, uint64_t segment);

/* Executes the trials, cleans, and writes `end`. */
void run_trials(struct run *run);

/* Looks, at most every CHECK_NS, for a stop request, a signal, the watch deadline and a
 * spool that cannot be written; false when the run is to end. */
bool run_goes_on(struct run *run);

/* Says what the run does while nothing is measured: `call` is the one in the kernel, or NULL;
 * of `total` bytes, 0 where it cannot be determined, `bytes` are done. */
void run_progress(struct run *run, const char *doing, const char *call, uint64_t bytes, uint64_t total);

/* Gives up a run of which a call hangs in the kernel: writes an error and `end`, and leaves the
 * rest to the kernel, which ends the threads of an exited process when it can. What could not be
 * removed, the next contact sweeps. */
_Noreturn void run_abandon(struct run *run, const char *call, uint64_t waited_ns);

/* Whether `bytes` more fit above the reserve. */
bool run_has_space(const struct run *run, uint64_t bytes, struct failure *failure);

#endif
