/* Marks: a figure for each so many bytes of a trial, whichever streams moved them. Their number is
 * bounded: each time that half of those that are left were closed, the size doubles.
 *
 * Each stream counts into a part of its own, under a mutex that only the end of a mark contends
 * for. The operation that crosses the boundary closes the mark: it collects all parts. The run's
 * thread takes the closed marks and writes their events. */
#ifndef ASSAY_SUSTAINED_MARKS_H
#define ASSAY_SUSTAINED_MARKS_H

#include "histogram.h"
#include "meter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One stream's operations since the last mark. */
struct mark_part {
    _Alignas(METER_LINE) pthread_mutex_t mutex;
    uint64_t ops, bytes, latency_sum, latency_max, busy, due_max;
    uint64_t histogram[HISTOGRAM_STEPS];
};

struct mark {
    uint64_t end_ns; /* CLOCK_MONOTONIC */
    uint64_t dt_ns;
    uint64_t ops, bytes, latency_sum, latency_max, latency_p99;
    uint64_t busy; /* time in all calls */
    uint64_t due_max, backlog; /* of a rate */
};

struct marks {
    _Atomic uint64_t size; /* bytes; written under the mutex */
    uint64_t most; /* marks of the trial */
    struct mark_part *parts;
    uint64_t count; /* of parts */
    _Alignas(METER_LINE) _Atomic uint64_t total; /* bytes */
    pthread_mutex_t mutex;
    /* under the mutex */
    uint64_t made;    /* marks so far */
    uint64_t doubles; /* the size doubles after so many marks */
    uint64_t last_ns; /* end of the last mark, or the measured part's beginning */
    struct mark *closed;
    size_t closed_count, capacity;
    uint64_t boundary; /* that was last closed, counted from the start */
    uint64_t histogram[HISTOGRAM_STEPS]; /* of the mark that is being closed */
};

/* An operation, as a stream adds it. */
struct operation_done {
    uint64_t start_ns, end_ns, bytes;
    uint64_t busy_ns; /* of this and the other calls of its stream since the one before; of operations that
                       * overlap, the time with at least one in flight */
    uint64_t still_ns; /* how long of it the process stood still, which is no latency */
    uint64_t due_ns;   /* when it was due, on the moving clock; 0 without a rate */
    uint64_t late_ns;  /* latency from the due time; 0 without a rate */
    bool reads;
};

#define MARKS_MOST 200000

/* `most` is at least 2. False with errno. */
bool marks_make(struct marks *marks, uint64_t size, uint64_t most, uint64_t streams);
void marks_free(struct marks *marks);

/* The measured part begins: the first mark begins here. */
void marks_begin(struct marks *marks, uint64_t now);

/* Adds an operation of a stream; whether it crosses a boundary, so that the caller closes the
 * mark. */
bool marks_add(struct marks *marks, uint64_t stream, const struct operation_done *done);

/* Closes the mark at `end_ns`, unless another stream has closed one since the boundary. If there
 * is no memory, its bytes are in the next one. */
void marks_close(struct marks *marks, uint64_t end_ns, uint64_t backlog);

/* Closes the mark of the data after the last boundary, if there is any. */
void marks_close_last(struct marks *marks, uint64_t end_ns, uint64_t backlog);

/* Takes the closed marks, to be freed by the caller; returns their number. */
size_t marks_take(struct marks *marks, struct mark **closed);

#endif
