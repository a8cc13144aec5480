/* Stretches of time in which the process stood still: it was stopped or frozen, its machine was
 * paused, or it got no CPU at all. They are no service time, and what is due by a schedule is due
 * that much later. The heartbeat's thread adds them; other threads read them without a lock.
 *
 * A stretch reaches from the last heartbeat before it to the first one after it, as exactly as it
 * is known. The moving clock is CLOCK_MONOTONIC without them. All functions accept NULL, for a
 * process that never stands still. */
#ifndef ASSAY_STANDSTILL_H
#define ASSAY_STANDSTILL_H

#include "clock.h"

#include <stdatomic.h>
#include <stdint.h>

/* No shorter stretch is added, and no shorter operation is looked up. */
#define STANDSTILL_LEAST_NS (50 * NS_PER_MS)
/* Readers need the stretches since the start of an operation, or of a delay. */
#define STANDSTILLS_KEPT 64

struct standstill {
    _Atomic uint64_t count;    /* stretches that were added */
    _Atomic uint64_t total_ns; /* their sum */
    _Atomic uint64_t due_ns;   /* the next heartbeat; up to here no stretch is missing. 0 without one */
    struct {
        _Atomic uint64_t from_ns, until_ns; /* CLOCK_MONOTONIC */
        _Atomic uint64_t before_ns;         /* sum of the stretches before */
    } kept[STANDSTILLS_KEPT];
};

/* Adds a stretch that ended just now; called by one thread only. */
void standstill_add(struct standstill *standstill, uint64_t from_ns, uint64_t until_ns);

/* Waits, at most a fifth of a second, for an overdue heartbeat: after a stretch this thread may be
 * the first to wake. */
void standstill_await(const struct standstill *standstill, uint64_t now);

/* A moment of CLOCK_MONOTONIC on the moving clock. */
uint64_t standstill_moving(const struct standstill *standstill, uint64_t at);

/* When the moving clock will show `moving`, if nothing stands still until then. */
uint64_t standstill_moment(const struct standstill *standstill, uint64_t moving);

/* How long of a stretch that ended just now the process stood still. */
uint64_t standstill_within(const struct standstill *standstill, uint64_t from_ns, uint64_t until_ns);

#endif
