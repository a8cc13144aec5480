/* One attempt at a trial, and the steps of its preparation that jobs share. */
#ifndef ASSAY_ATTEMPT_H
#define ASSAY_ATTEMPT_H

#include "failure.h"
#include "plan.h"
#include "priority.h"
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
    bool mixed;  /* it writes and reads, and both count */
    struct priority priority; /* of the threads; set by `prepare` */
    bool started; /* the pool's threads */
    struct threadpool pool;
    struct failure failure;
    struct findings findings;
    bool reads_back; /* what follows is about the read-back */
    uint64_t told_errors, told_errors_ns; /* of the last notice of verification errors, and when it was written */
    bool looked; /* the residency of directly transferred data was checked */
    bool unchecked;        /* its data could not be checked, so nothing is durable; set by `conclude` */
    bool synced;           /* whole, and the attempt was not disturbed; set before `conclude` */
    bool complete;         /* everything that the trial asks for was transferred; set by `conclude` */
    uint64_t working_set;  /* bytes of different data; set by `conclude` */
};

/* Begins an event of this attempt; event_end writes it. */
struct text *attempt_event(const struct attempt *attempt, const char *ev);

/* Waits until the device has discarded the files of earlier trials; reports if it has not. Called
 * by an errand. */
void attempt_settle(struct attempt *attempt);

/* Whether O_DIRECT works in the target with blocks of this size; false with a failure. */
bool attempt_direct_fits(struct attempt *attempt, uint64_t block);

/* Describes the error of a thread's call on blocks of this size. */
void attempt_explain(struct attempt *attempt, int error, bool direct, uint64_t block);

/* Maps the threads' memory; false with a failure. */
bool attempt_buffers(struct attempt *attempt, const struct demand *demand, struct windows *windows);

/* Reports verification errors that were not reported yet: those found so far at most every five
 * seconds, so that they are known even if the probe dies, and all of them when the trial is
 * `over`. */
void attempt_tell_errors(struct attempt *attempt, const struct verification *found, bool over);

/* Some file systems accept O_DIRECT but buffer it: the beginning of a file is looked up in the
 * page cache once 64 MiB of it were transferred, or when the trial is over. `moved` is how much of
 * it was transferred; only its first call that looks counts. */
void attempt_look(struct attempt *attempt, int file, uint64_t moved, bool over);

/* The same of data that is not at the beginning of a file: whether it is time to look it up, and the
 * pages that were found. */
#define RESIDENCY_BYTES (64ull << 20)
bool attempt_looks(struct attempt *attempt, uint64_t moved, bool over);
void attempt_found(struct attempt *attempt, uint64_t checked, uint64_t pages);

#endif
