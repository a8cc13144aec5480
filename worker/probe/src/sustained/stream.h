/* A stream: the thread that writes or reads its own files, and what it records of each operation. */
#ifndef ASSAY_SUSTAINED_STREAM_H
#define ASSAY_SUSTAINED_STREAM_H

#include "blocks.h"
#include "pace.h"
#include "sustained/access.h"
#include "sustained/backlog.h"
#include "sustained/frames.h"
#include "sustained/marks.h"
#include "sustained/prepared.h"
#include "sustained/slowest.h"
#include "sustained/streamfiles.h"
#include "sustained/verified.h"
#include "threadpool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct flight;

/* Operations of a mixed trial's measured part in one direction. */
struct direction {
    uint64_t ops, bytes, latency_sum, latency_min, latency_max, due_max;
    uint64_t histogram[HISTOGRAM_STEPS], due_histogram[HISTOGRAM_STEPS];
};

struct stream {
    struct work *work;
    uint64_t number;
    struct test_file data; /* the stream's blocks; its files are in `files` */
    uint64_t written;      /* blocks, of a finished write that is read back */
    uint64_t footprint;    /* bytes of the files; a read begins anew after them */
    struct access access;  /* of a random trial */
    struct flight *flight; /* of the engine io_uring */
    uint64_t turns;        /* operations that have begun */
    uint64_t moved;        /* bytes of those that have returned */
    struct blocks blocks;
    struct dataqueue queue;
    struct streamfiles files;
    struct pace pace;
    struct backlog backlog;
    struct frames frames;
    struct slowest slowest;
    uint64_t histogram[HISTOGRAM_STEPS];     /* of the measured part's latencies */
    uint64_t due_histogram[HISTOGRAM_STEPS]; /* of its latencies from the due time */
    uint64_t due_max;
    uint64_t due_unfinished; /* operations of the due histogram that have not returned */
    struct direction read, write; /* of a mixed trial */
    uint64_t ramp_ops, ramp_bytes; /* before the measured part */
    uint64_t busy_until_ns; /* return of its last periodic sync; 0 before */
    uint64_t unreturned_ns; /* how long its abandoned operation had taken, if it has no flight; 0 if none was */
    bool finished;     /* it has moved everything, or reached the end of the duration */
};

/* The state of one attempt, in addition to the pool. */
struct work {
    const struct standstill *standstill;
    uint64_t still_ns; /* how long the process stood still; until the end, how long it had before the attempt */
    struct schedule schedule;
    struct marks marks;
    struct backlog_rates rates;
    struct prepared prepared;
    struct verified verified;
    struct windows windows;
    struct stream *streams;
    uint64_t count;
    uint64_t duration_ns; /* 0 without */
    uint64_t ramp_ns;
    uint64_t measured_ns; /* the measured part begins */
    uint64_t abandoned_ns; /* the operations in flight were abandoned; 0 if they were not */
    _Atomic uint64_t begun; /* operations of all streams */
    _Atomic uint64_t backlog_max, backlog_end; /* bytes; the latter is UINT64_MAX before the schedule's end */
};

/* The task of the threads; each thread's `own` is its stream, and the pool's `own` the work. */
struct task stream_task(void);

/* The parts of the work that both engines share. An operation begins: counts it. */
void stream_begin(struct stream *stream);

/* Adds an operation that has returned to the stream's figures, with its time from when it was due;
 * `offset` is its block's. */
void stream_add(struct stream *stream, struct operation_done *done, uint64_t offset);

/* The block of an operation that has returned was transferred. */
void stream_return(struct stream *stream, struct block *block);

/* Whether the stream has to sync after an operation that it wrote, and does so; false if that failed. */
bool stream_sync_is_due(struct stream *stream, const struct operation_done *done);
bool stream_sync(struct thread *thread, uint64_t *busy_ns);

/* Waits for the turn of the stream's next operation; false if none begins any more. */
bool stream_wait_turn(struct thread *thread, uint64_t *due);

/* Counts the operations of a rate that were due by `end`, or the return of its last periodic sync if
 * that is later, but have not returned with the latency that they have reached; `done` is the number
 * of those that have. */
void stream_add_unfinished(struct stream *stream, uint64_t done, uint64_t end);

/* Bytes that are due at `now` by the schedule of a rate, but not begun; 0 without a rate. */
uint64_t stream_backlog(struct work *work, uint64_t now);

#endif
