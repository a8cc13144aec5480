/* Backlogs: the memory that would be needed if data arrived at a steady rate.
 *
 * A stream's calls are replayed against a queue into which data flows at each of many rates: while
 * a call takes S seconds, R x S bytes arrive, and its own bytes leave when it returns (Lindley's
 * recursion over the service times). Time in which the stream slept, or its data was generated,
 * is not part of it. Each stream has a buffer of its own, so the sum of the streams' maxima is the
 * memory that they need together. */
#ifndef ASSAY_SUSTAINED_BACKLOG_H
#define ASSAY_SUSTAINED_BACKLOG_H

#include "sustained/fields.h"

#include <stdint.h>

#define GEOMETRIC_RATES 64
#define BACKLOG_RATES_MOST (GEOMETRIC_RATES + PLAN_RATES_MOST)

/* The rates of all streams together, ascending, in bytes per second. */
struct backlog_rates {
    uint64_t count;
    double bytes_per_s[BACKLOG_RATES_MOST];
};

/* One stream's backlog at each rate, in bytes. Zeros are the state before its first call.
 *
 * A call costs only what it changes. The queues of the lowest rates are empty after each call, and
 * reach a new maximum only in the longest one. Those of the highest rates have grown with every
 * call, and follow from the sums of all. */
struct backlog {
    double now[BACKLOG_RATES_MOST];
    double most[BACKLOG_RATES_MOST];
    uint64_t most_ns[BACKLOG_RATES_MOST]; /* time of the maximum, CLOCK_MONOTONIC */
    uint64_t empty;   /* number of the lowest rates whose queues are empty */
    uint64_t growing; /* index of the first rate whose queue has grown with every call; its values are not up to date */
    double longest_s, sum_s, sum_bytes, last_bytes;
    uint64_t last_ns; /* when the last call ended */
};

/* The given rates and 64 geometric ones from 1 MB/s to 100 GB/s. */
void backlog_rates_make(struct backlog_rates *rates, const double *given, uint64_t count);

/* Adds calls of a stream that took `busy_ns` together and wrote `bytes`, out of `streams` streams
 * that share each rate. */
void backlog_add(struct backlog *backlog, const struct backlog_rates *rates, uint64_t streams, uint64_t busy_ns,
                 uint64_t bytes, uint64_t end_ns);

/* Brings the values of all rates up to date, so that they can be read. */
void backlog_settle(struct backlog *backlog, const struct backlog_rates *rates);

#endif
