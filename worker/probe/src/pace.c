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
    const uint64_t until = standstill_moving(schedule->standstill, schedule->until_ns);
    return due_before(schedule, now < until ? now + 1 : until);
}

uint64_t pace_due_of(const struct pace *pace, uint64_t first, uint64_t now)
{
    const uint64_t all = pace_due_count(pace->schedule, now);
    return all > first ? (all - first - 1) / pace->stride + 1 : 0;
}

uint64_t pace_last_due(const struct schedule *schedule)
{
    uint64_t count = due_before(schedule, standstill_moving(schedule->standstill, schedule->until_ns));
    return pace_due(schedule, count > 0 ? count - 1 : 0);
}

static bool goes_on(const struct schedule *schedule, const atomic_bool *stop)
{
    return !atomic_load_explicit(stop, memory_order_relaxed) && !atomic_load_explicit(schedule->overdue, memory_order_relaxed);
}

/* Sleeps until `at` of the moving clock, if that is before the end; false if the stream is to stop. */
static bool sleep_until(struct pace *pace, uint64_t at, const atomic_bool *stop)
{
    const struct schedule *schedule = pace->schedule;
    const uint64_t began = clock_mono();
    uint64_t now = began;
    while (goes_on(schedule, stop)) {
        const uint64_t due = standstill_moment(schedule->standstill, at);
        const uint64_t until = due < schedule->until_ns ? due : schedule->until_ns;
        if (now >= until)
            break;
        const uint64_t wakes = until - now < SLEEP_NS ? until : now + SLEEP_NS;
        const struct timespec wake = clock_timespec(wakes);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
        now = clock_mono();
        if (now >= wakes + STANDSTILL_LEAST_NS)
            standstill_await(schedule->standstill, now);
    }
    pace->asleep_ns += now - began - standstill_within(schedule->standstill, began, now);
    return now < schedule->until_ns && goes_on(schedule, stop);
}

uint64_t pace_next_due(const struct pace *pace)
{
    return pace->schedule->pacing == PACE_RATE ? pace_due(pace->schedule, pace->next) : 0;
}

bool pace_gap_follows(const struct pace *pace)
{
    return pace->schedule->pacing == PACE_BURST && pace->next > 0 && pace->next % pace->schedule->burst == 0;
}

bool pace_wait(struct pace *pace, const atomic_bool *stop, uint64_t *due)
{
    const struct schedule *schedule = pace->schedule;
    const uint64_t at = *due = pace_next_due(pace), gap_ns = pace_gap_follows(pace) ? schedule->gap_ns : 0;
    pace->next += schedule->pacing == PACE_RATE ? pace->stride : 1;
    return sleep_until(pace, gap_ns ? standstill_moving(schedule->standstill, clock_mono()) + gap_ns : at, stop);
}
