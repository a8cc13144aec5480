/* A job: what the trials of one kind of test do. A job has a folder of its own, and one line in
 * jobs.c. The probe reads its trials by its field table, runs its task in a thread pool, samples
 * and judges the attempt, and writes the events; the job prepares, moves the data, and cleans up. */
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
    uint64_t resident_checked, resident_pages;             /* of a write, meanwhile; of a read, before it */
    uint64_t resident_after_checked, resident_after_pages; /* of a read, after it */
    int64_t first_read_bytes; /* that nobody had read since they were written; -1 where nothing is read */
};

/* One attempt at a trial. */
struct attempt {
    struct workspace *workspace;
    const struct trial *trial;
    void *state; /* the job's, of the whole run */
    void *own;   /* the job's, of this attempt */
    bool writes; /* free space is watched, and what the device wrote counts; else what it read */
    bool started; /* the pool's threads */
    struct threadpool pool;
    struct failure failure;
    struct findings findings;
};

struct job {
    struct trial_type type;

    /* Creates the job's state for a run; false with a failure. */
    bool (*begin)(struct workspace *workspace, void **state, struct failure *failure);
    /* Removes its files. Called by an errand. */
    void (*clear)(void *state);
    void (*end)(void *state);

    /* Brings the target into the trial's starting condition and makes the pool, with its task and
     * what each thread works with; false on failure, or without one when the run is ending. */
    bool (*prepare)(struct attempt *attempt);
    /* Checks the data moved so far, between samples and at the end. */
    void (*look)(struct attempt *attempt, bool over);
    /* Describes the error of a thread. */
    void (*explain)(struct attempt *attempt, int error);
    /* Fills `findings` once no thread works any more. */
    void (*conclude)(struct attempt *attempt);
    /* Releases what `prepare` made, also when that failed. */
    void (*release)(struct attempt *attempt);
};

#endif
