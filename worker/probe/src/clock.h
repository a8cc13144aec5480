/* Clocks. All measurements are in nanoseconds of CLOCK_MONOTONIC; the watch deadline uses
 * CLOCK_BOOTTIME, which also advances while a machine is suspended. */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
#ifdef ASSAY_TEST_ROOT /* the test build has the wall clock of another host */
    const char *ahead_s = getenv("ASSAY_TEST_WALL_AHEAD_S");
    if (clock == CLOCK_REALTIME && ahead_s)
        now.tv_sec += atol(ahead_s);
#endif
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_mono(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

static inline struct timespec clock_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

static inline void clock_sleep(uint64_t ns)
{
    struct timespec wait = clock_timespec(ns);
    nanosleep(&wait, NULL);
}

#endif
