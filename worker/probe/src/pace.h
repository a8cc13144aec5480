/* Pacing: when a stream's next operation may begin.
 *
 * A rate follows an absolute schedule: operation n is due at a time that depends on n alone, so a
 * late operation does not delay the later ones, and rounding never accumulates. Several streams
 * take turns in one schedule. While the process stands still, the schedule does, too: due times are
 * on the moving clock. Burst and gap is literal: after each burst the stream sleeps for the
 * gap, whatever the burst took. */
#ifndef ASSAY_PACE_H
#define ASSAY_PACE_H

#include "standstill.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pacing { PACE_NONE, PACE_RATE, PACE_BURST };

/* The schedule of all streams. */
struct schedule {
    enum pacing pacing;
    uint64_t block;  /* bytes of an operation */
    uint64_t rate;   /* bytes per second of all streams */
    uint64_t burst;  /* operations */
    uint64_t gap_ns; /* rounded up to the delay quantum */
    uint64_t started_ns; /* on the moving clock */
    const struct standstill *standstill;
    const atomic_bool *overdue; /* the trial has taken too long */
    uint64_t until_ns; /* no operation begins from then on, CLOCK_MONOTONIC; UINT64_MAX without an end */
    uint64_t operations; /* of all streams; UINT64_MAX if only the time limits them */
};

/* A stream's position in the schedule; owned by its thread. */
struct pace {
    const struct schedule *schedule;
    uint64_t next;   /* turn of its next operation; of a rate, in the schedule of all streams */
    uint64_t stride; /* distance of its turns: the number of streams */
    uint64_t asleep_ns;
};

/* The delay after a burst: rounded up to a multiple of the quantum, which is 0 for none. */
uint64_t pace_gap(uint64_t gap_ns, uint64_t quantum_ns);

/* When operation `turn` of a rate is due, on the moving clock. */
uint64_t pace_due(const struct schedule *schedule, uint64_t turn);

/* The number of operations of a rate that are due at `now` of the moving clock. */
uint64_t pace_due_count(const struct schedule *schedule, uint64_t now);

/* The number of operations of a stream that are due at `now` of the moving clock, of which the first
 * has turn `first`. */
uint64_t pace_due_of(const struct pace *pace, uint64_t first, uint64_t now);

/* When the last operation of a rate is due, on the moving clock. */
uint64_t pace_last_due(const struct schedule *schedule);

/* When the stream's next operation is due on the moving clock, by a rate; else 0. */
uint64_t pace_next_due(const struct pace *pace);

/* Whether the stream sleeps for the gap before its next operation. */
bool pace_gap_follows(const struct pace *pace);

/* Sleeps until the stream's next operation may begin, and takes its turn; false if `stop` is set,
 * or the schedule's end comes before, or the trial is overdue. `due` is the time from which its latency counts, 0 without a rate. */
bool pace_wait(struct pace *pace, const atomic_bool *stop, uint64_t *due);

#endif
