/* A job: the work of the trials of one test kind. A job has its own folder, and one line in
 * jobs.c. The probe parses its trials with its field table, runs its task in a thread pool,
 * samples and evaluates the attempt, and writes the events; the job prepares, transfers the data,
 * and cleans up. */
#ifndef ASSAY_JOB_H
#define ASSAY_JOB_H

#include "attempt.h"

#include <stdbool.h>

struct job {
    struct trial_type type;
    bool bears_starvation; /* a lack of CPUs is among what it measures, and no disturbance */
    bool goes_on; /* a disturbance is a gap in its attempts; else they do not count */

    /* Opens what an earlier segment of the run, whose probe died, left in its test directory, before that is
     * removed; NULL if it needs nothing. */
    void (*adopt)(int rundir, const struct plan *plan);
    /* Creates the job's state for a run; false with a failure. */
    bool (*begin)(struct workspace *workspace, void **state, struct failure *failure);
    /* Removes the job's files. Called by an errand. */
    void (*clear)(void *state);
    void (*end)(void *state);

    /* Brings the target into the trial's starting condition and creates the pool, with its task
     * and the data of each thread; false on failure, or without a failure if the run is ending. */
    bool (*prepare)(struct attempt *attempt);
    /* Adds the job's own event to a sample that ended at `end_ns`, CLOCK_MONOTONIC; or NULL. */
    void (*sampled)(struct attempt *attempt, uint64_t end_ns);
    /* Checks or reports the data transferred so far, between samples and at the end. */
    void (*look)(struct attempt *attempt, bool over);
    /* Describes the error of a thread. */
    void (*explain)(struct attempt *attempt, int error);
    /* Fills `findings`, `complete` and `working_set` after all threads have finished their work. */
    void (*conclude)(struct attempt *attempt);
    /* Adds the job's own fields to the result; NULL if it has none. */
    void (*detail)(struct attempt *attempt, struct text *line);
    /* What follows the result and cannot change it; NULL if nothing does. */
    void (*follow_up)(struct attempt *attempt);
    /* Releases what `prepare` created, even if that failed. */
    void (*release)(struct attempt *attempt);
};

#endif
