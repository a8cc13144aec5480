#include "pace.h"

#include "clock.h"

#include <time.h>

/* How soon a sleeping stream obeys a stop. */
#define SLEEP_NS (50 * NS_PER_MS)

uint64_t pace_gap(uint64_t gap_ns, uint64_t quantum_ns)
{
    return quantum_ns ? (gap_ns + quantum_ns - 1) / quantum_ns * quantum_ns : gap_ns;
}

uint64_t pace_due(const struct schedule *schedule, uint64_t turn)
{
    unsigned __int128 bytes = (unsigned __int128)turn * schedule->block;
    return schedule->started_ns + (uint64_t)(bytes * NS_PER_S / schedule->rate);
}

/* Operations that are due before `end`. */
static uint64_t due_before(const struct schedule *schedule, uint64_t end)
{
    if (end <= schedule->started_ns)
        return 0;
    unsigned __int128 bytes = (unsigned __int128)(end - schedule->started_ns) * schedule->rate;
    unsigned __int128 per = (unsigned __int128)schedule->block * NS_PER_S;
    uint64_t count = (uint64_t)((bytes + per - 1) / per);
    return count < schedule->operations ? count : schedule->operations;
}

uint64_t pace_due_count(const struct schedule *schedule, uint64_t now)
{
    return due_before(schedule, now < schedule->until_ns ? now + 1 : schedule->until_ns);
}

uint64_t pace_due_of(const struct pace *pace, uint64_t first, uint64_t now)
{
    const uint64_t all = pace_due_count(pace->schedule, now);
    return all > first ? (all - first - 1) / pace->stride + 1 : 0;
}

uint64_t pace_last_due(const struct schedule *schedule)
{
    uint64_t count = due_before(schedule, schedule->until_ns);
    return pace_due(schedule, count > 0 ? count - 1 : 0);
}

static bool goes_on(const struct schedule *schedule, const atomic_bool *stop)
{
    return !atomic_load_explicit(stop, memory_order_relaxed) && !atomic_load_explicit(schedule->overdue, memory_order_relaxed);
}

/* Sleeps until `at`, if that is before the end; false if the stream is to stop. */
static bool sleep_until(struct pace *pace, uint64_t at, const atomic_bool *stop)
{
    const struct schedule *schedule = pace->schedule;
    const uint64_t until = at < schedule->until_ns ? at : schedule->until_ns;
    const uint64_t began = clock_mono();
    uint64_t now = began;
    for (; now < until && goes_on(schedule, stop); now = clock_mono()) {
        struct timespec wake = clock_timespec(until - now < SLEEP_NS ? until : now + SLEEP_NS);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
    pace->asleep_ns += now - began;
    return now < schedule->until_ns && goes_on(schedule, stop);
}

bool pace_wait(struct pace *pace, const atomic_bool *stop, uint64_t *due)
{
    const struct schedule *schedule = pace->schedule;
    uint64_t at = 0;
    *due = 0;
    if (schedule->pacing == PACE_RATE)
        at = *due = pace_due(schedule, pace->next);
    else if (schedule->pacing == PACE_BURST && pace->next > 0 && pace->next % schedule->burst == 0)
        at = clock_mono() + schedule->gap_ns;
    pace->next += schedule->pacing == PACE_RATE ? pace->stride : 1;
    return sleep_until(pace, at, stop);
}
