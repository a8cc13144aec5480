/* A run: the state of the detached probe from `hello` to `end`. It is owned by its thread, the
 * one that measures; see workspace.h for what errands use. No other part includes this header. */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include "locks.h"
#include "plan.h"
#include "spool.h"
#include "trial.h"

#include <stdbool.h>
#include <stdint.h>

struct run {
    struct plan plan;
    int rundir;
    struct spool spool;
    struct locks locks;
    struct executor executor;
};

/* Writes `hello`; false if the run cannot begin (the error and `end` are in the spool). */
bool run_begin(struct run *run, const struct job *job, uint64_t segment);

/* Executes the trials, cleans up, and writes `end`. */
void run_trials(struct run *run);

#endif
