#include "standstill.h"

#include <time.h>

#define AWAIT_NS (200 * NS_PER_MS)
#define LOOK_NS (100 * 1000ull)

static uint64_t read_now(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_acquire);
}

void standstill_add(struct standstill *standstill, uint64_t from_ns, uint64_t until_ns)
{
    const uint64_t count = read_now(&standstill->count), total = read_now(&standstill->total_ns), at = count % STANDSTILLS_KEPT;
    standstill->kept[at].from_ns = from_ns;
    standstill->kept[at].until_ns = until_ns;
    standstill->kept[at].before_ns = total;
    standstill->count = count + 1;
    standstill->total_ns = total + (until_ns - from_ns);
}

void standstill_await(const struct standstill *standstill, uint64_t now)
{
    const struct timespec pause = {.tv_nsec = (long)LOOK_NS};
    const uint64_t until = now + AWAIT_NS;
    if (!standstill || read_now(&standstill->due_ns) == 0)
        return;
    for (; read_now(&standstill->due_ns) + STANDSTILL_LEAST_NS < now && clock_mono() < until;)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

uint64_t standstill_moving(const struct standstill *standstill, uint64_t at)
{
    const uint64_t count = standstill ? read_now(&standstill->count) : 0;
    const uint64_t oldest = count > STANDSTILLS_KEPT ? count - STANDSTILLS_KEPT : 0;
    uint64_t before = 0;
    for (uint64_t i = count; i-- > oldest;) {
        const uint64_t from = read_now(&standstill->kept[i % STANDSTILLS_KEPT].from_ns);
        const uint64_t until = read_now(&standstill->kept[i % STANDSTILLS_KEPT].until_ns);
        before = read_now(&standstill->kept[i % STANDSTILLS_KEPT].before_ns);
        if (at > from)
            return (at < until ? from : at - (until - from)) - before;
    }
    return at - before;
}

uint64_t standstill_moment(const struct standstill *standstill, uint64_t moving)
{
    return moving + (standstill ? read_now(&standstill->total_ns) : 0);
}

uint64_t standstill_within(const struct standstill *standstill, uint64_t from_ns, uint64_t until_ns)
{
    if (!standstill || until_ns < from_ns + STANDSTILL_LEAST_NS)
        return 0;
    standstill_await(standstill, until_ns);
    return until_ns - from_ns - (standstill_moving(standstill, until_ns) - standstill_moving(standstill, from_ns));
}
