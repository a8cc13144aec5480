#include "meter.h"

#define RELAXED memory_order_relaxed

void meter_clear(struct meter *meter)
{
    meter->latency_min = UINT64_MAX;
    atomic_init(&meter->low, UINT64_MAX);
}

struct tally meter_tally(const struct meter *meter)
{
    for (;;) {
        uint64_t before = atomic_load_explicit(&meter->version, memory_order_acquire);
        struct tally tally = {
            .ops = atomic_load_explicit(&meter->ops, RELAXED),
            .bytes = atomic_load_explicit(&meter->bytes, RELAXED),
            .latency_sum = atomic_load_explicit(&meter->latency_sum, RELAXED),
            .read_ops = atomic_load_explicit(&meter->read_ops, RELAXED),
            .read_bytes = atomic_load_explicit(&meter->read_bytes, RELAXED),
        };
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&meter->version, RELAXED) == before)
            return tally;
    }
}

uint64_t meter_started(const struct meter *meter)
{
    return atomic_load_explicit(&meter->op_start, RELAXED);
}

uint64_t meter_last_end(const struct meter *meter)
{
    return atomic_load_explicit(&meter->last_end, RELAXED);
}

uint64_t meter_between_ns(const struct meter *meter)
{
    return meter_last_end(meter) - meter->began - meter->busy;
}

/* The thread publishes an operation's latency as peak and low just before it counts the
 * operation. If the sampler reads in between, the peak is a few nanoseconds early. For an
 * interval with one operation the latency is taken from the sum instead, so that a single slow
 * operation is always in the interval where it ended, and the mean is always between low and
 * peak. */
static void take_extremes(struct meter *meter, const struct tally *delta, struct interval *interval)
{
    uint64_t peak = atomic_exchange_explicit(&meter->peak, 0, RELAXED);
    uint64_t low = atomic_exchange_explicit(&meter->low, UINT64_MAX, RELAXED);
    uint64_t mean = delta->latency_sum / delta->ops;
    peak = delta->ops == 1 || peak < mean ? mean : peak;
    low = delta->ops == 1 || low > mean ? mean : low;
    interval->peak = peak > interval->peak ? peak : interval->peak;
    interval->low = low < interval->low ? low : interval->low;
}

void meter_take(struct meter *meter, struct tally *before, uint64_t now, struct interval *interval)
{
    struct tally after = meter_tally(meter);
    struct tally delta = {
        .ops = after.ops - before->ops,
        .bytes = after.bytes - before->bytes,
        .latency_sum = after.latency_sum - before->latency_sum,
        .read_ops = after.read_ops - before->read_ops,
        .read_bytes = after.read_bytes - before->read_bytes,
    };
    *before = after;
    interval->ops += delta.ops;
    interval->bytes += delta.bytes;
    interval->latency_sum += delta.latency_sum;
    interval->read_ops += delta.read_ops;
    interval->read_bytes += delta.read_bytes;
    if (delta.ops > 0)
        take_extremes(meter, &delta, interval);
    uint64_t started = meter_started(meter);
    if (started != 0 && started < now && now - started > interval->oldest)
        interval->oldest = now - started;
}
