/* A thread's meter: operations, bytes, latencies, and the age of the operation in flight.
 *
 * A meter has its own cache lines; only its thread writes it, with relaxed stores and a version
 * that is odd while they change, so the sampler reads a consistent set without a lock. Peak and
 * low are exchanged by the sampler. Only the call of an operation is timed: work between the
 * calls is not part of any latency, and is counted separately. A thread may have several operations
 * in flight: then the age is that of the oldest. */
#ifndef ASSAY_METER_H
#define ASSAY_METER_H

#include "histogram.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define METER_LINE 64

struct meter {
    _Alignas(METER_LINE) _Atomic uint64_t version;
    _Atomic uint64_t ops;
    _Atomic uint64_t bytes;
    _Atomic uint64_t latency_sum;
    _Atomic uint64_t op_start; /* of the oldest operation in flight; 0 when there is none */
    _Atomic uint64_t peak;     /* since the sampler last read it */
    _Atomic uint64_t low;
    _Atomic uint64_t last_end; /* of the last counted operation */
    _Alignas(METER_LINE) _Atomic uint64_t read_ops; /* of a thread that reads and writes */
    _Atomic uint64_t read_bytes;
    /* read by other threads once the thread is done */
    _Alignas(METER_LINE) uint64_t began;
    uint64_t busy; /* up to the last operation's end: in calls, or with all operations in flight that can be */
    uint64_t latency_min, latency_max;
    uint64_t histogram[HISTOGRAM_STEPS];
};

/* Initializes a meter in zeroed memory. */
void meter_clear(struct meter *meter);

/* The thread's work begins. */
static inline void meter_begin(struct meter *meter, uint64_t now)
{
    meter->began = now;
    atomic_store_explicit(&meter->last_end, now, memory_order_relaxed);
}

/* An operation begins; 0 means that none is in flight. */
static inline void meter_start(struct meter *meter, uint64_t now)
{
    atomic_store_explicit(&meter->op_start, now, memory_order_relaxed);
}

/* An operation that has ended. */
struct metered {
    uint64_t start, end, moved;
    uint64_t still;  /* how long of it the process stood still, which is no latency */
    uint64_t busy;   /* what it adds to the meter's busy time */
    uint64_t oldest; /* start of the oldest operation that is still in flight; 0 without one */
    bool apart;      /* it reads, and others of its thread write */
};

/* Adds operations that were transferred together, by the same call: each has its latency. */
static inline void meter_add_together(struct meter *meter, const struct metered *operation, uint64_t count)
{
    const uint64_t latency = operation->end - operation->start - operation->still;
    meter->busy += operation->busy;
    meter->histogram[histogram_index(latency)] += count;
    if (latency < meter->latency_min)
        meter->latency_min = latency;
    if (latency > meter->latency_max)
        meter->latency_max = latency;
    if (latency > atomic_load_explicit(&meter->peak, memory_order_relaxed))
        atomic_store_explicit(&meter->peak, latency, memory_order_relaxed);
    if (latency < atomic_load_explicit(&meter->low, memory_order_relaxed))
        atomic_store_explicit(&meter->low, latency, memory_order_relaxed);
    uint64_t version = atomic_load_explicit(&meter->version, memory_order_relaxed);
    uint64_t ops = atomic_load_explicit(&meter->ops, memory_order_relaxed) + count;
    uint64_t bytes = atomic_load_explicit(&meter->bytes, memory_order_relaxed) + operation->moved;
    uint64_t sum = atomic_load_explicit(&meter->latency_sum, memory_order_relaxed) + latency * count;
    atomic_store_explicit(&meter->version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&meter->ops, ops, memory_order_relaxed);
    atomic_store_explicit(&meter->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&meter->latency_sum, sum, memory_order_relaxed);
    atomic_store_explicit(&meter->op_start, operation->oldest, memory_order_relaxed);
    if (operation->apart) {
        uint64_t read_ops = atomic_load_explicit(&meter->read_ops, memory_order_relaxed) + count;
        uint64_t read_bytes = atomic_load_explicit(&meter->read_bytes, memory_order_relaxed) + operation->moved;
        atomic_store_explicit(&meter->read_ops, read_ops, memory_order_relaxed);
        atomic_store_explicit(&meter->read_bytes, read_bytes, memory_order_relaxed);
    }
    atomic_store_explicit(&meter->version, version + 2, memory_order_release);
    atomic_store_explicit(&meter->last_end, operation->end, memory_order_relaxed);
}

static inline void meter_add(struct meter *meter, const struct metered *operation)
{
    meter_add_together(meter, operation, 1);
}

/* A thread's only operation in flight, which transferred `moved` bytes, has ended. */
static inline void meter_record(struct meter *meter, uint64_t start, uint64_t end, uint64_t moved)
{
    meter_add(meter, &(struct metered){.start = start, .end = end, .moved = moved, .busy = end - start});
}

/* One consistent reading of a meter's counters. */
struct tally {
    uint64_t ops, bytes, latency_sum;
    uint64_t read_ops, read_bytes; /* of a thread that reads and writes */
};
struct tally meter_tally(const struct meter *meter);

/* When the operation in flight began; 0 without one. */
uint64_t meter_started(const struct meter *meter);

/* When the last counted operation returned, even if another is in flight. */
uint64_t meter_last_end(const struct meter *meter);

/* Time between the operations until the last one returned, or with fewer in flight than there could be. */
uint64_t meter_between_ns(const struct meter *meter);

/* The operations since the sampler's last reading. */
struct interval {
    uint64_t ops, bytes, latency_sum, read_ops, read_bytes;
    uint64_t low, peak; /* latencies; low is UINT64_MAX without an operation */
    uint64_t oldest;    /* age of the oldest operation in flight */
};

/* Adds the changes since `before`, which is then set to the current tally. */
void meter_take(struct meter *meter, struct tally *before, uint64_t now, struct interval *interval);

#endif
