/* A run: what the detached probe holds from `hello` to `end`. One thread, the one that
 * measures, owns all of it and is alone in writing events; lanes see only their crew. */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include "buffers.h"
#include "counters.h"
#include "failure.h"
#include "filesets.h"
#include "plan.h"
#include "spool.h"
#include "target.h"
#include "workdir.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How often a run looks whether it is to stop. */
#define CHECK_NS (100 * NS_PER_MS)

enum ending { ENDING_NONE, ENDING_STOPPED, ENDING_DEADLINE, ENDING_FAILED };

struct run {
    struct plan plan;
    int rundir;
    struct spool spool;
    struct target target;
    struct workdir workdir;
    struct counters counters;
    struct buffers buffers;
    struct filesets sets;
    uint64_t stamps; /* given out so far: no two sectors of a run are ever equal */
    uint64_t mem_limit;
    uint32_t alignment; /* of O_DIRECT in the target; 0 where it is refused */
    int alignment_error;
    enum ending ending;
    const char *ending_reason; /* a failure's code, or NULL */
    uint64_t next_check;
    uint64_t complete; /* trials */
};

/* Writes `hello`: false when the run can not begin (the error and `end` are in the spool). */
bool run_begin(struct run *run, uint64_t segment);

/* Executes the trials, cleans, and writes `end`. */
void run_trials(struct run *run);

/* Looks, at most every CHECK_NS, for a stop request, a signal, the watch deadline and a
 * spool that can not be written; false when the run is to end. */
bool run_goes_on(struct run *run);

/* Whether `bytes` more fit above the reserve. */
bool run_has_space(const struct run *run, uint64_t bytes, struct failure *failure);

#endif
