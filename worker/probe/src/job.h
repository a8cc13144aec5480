/* A job: the work of the trials of one test kind. A job has its own folder, and one line in
 * jobs.c. The probe parses its trials with its field table, runs its task in a thread pool,
 * samples and evaluates the attempt, and writes the events; the job prepares, transfers the data,
 * and cleans up. */
#ifndef ASSAY_JOB_H
#define ASSAY_JOB_H

#include "failure.h"
#include "plan.h"
#include "residency.h"
#include "testdata.h"
#include "threadpool.h"
#include "workspace.h"

#include <stdbool.h>
#include <stdint.h>

/* A job's findings about an attempt's data; part of its result. */
struct findings {
    struct verification verification;
    enum extents unwritten;
    uint64_t resident_checked, resident_pages;             /* of a write, during it; of a read, before it */
    uint64_t resident_after_checked, resident_after_pages; /* of a read, after it */
    int64_t first_read_bytes; /* not read since they were written; -1 for a write */
};

/* One attempt at a trial. */
struct attempt {
    struct workspace *workspace;
    const struct trial *trial;
    void *state; /* the job's state of the whole run */
    void *own;   /* the job's state of this attempt */
    bool writes; /* free space is checked, and the device's written bytes count; else its read bytes */
    bool started; /* the pool's threads */
    struct threadpool pool;
    struct failure failure;
    struct findings findings;
};

struct job {
    struct trial_type type;

    /* Creates the job's state for a run; false with a failure. */
    bool (*begin)(struct workspace *workspace, void **state, struct failure *failure);
    /* Removes the job's files. Called by an errand. */
    void (*clear)(void *state);
    void (*end)(void *state);

    /* Brings the target into the trial's starting condition and creates the pool, with its task
     * and the data of each thread; false on failure, or without a failure if the run is ending. */
    bool (*prepare)(struct attempt *attempt);
    /* Checks the data transferred so far, between samples and at the end. */
    void (*look)(struct attempt *attempt, bool over);
    /* Describes the error of a thread. */
    void (*explain)(struct attempt *attempt, int error);
    /* Fills `findings` after all threads have finished their work. */
    void (*conclude)(struct attempt *attempt);
    /* Releases what `prepare` created, even if that failed. */
    void (*release)(struct attempt *attempt);
};

#endif
