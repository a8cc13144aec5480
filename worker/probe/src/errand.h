/* Errands: work of a run in its target while nothing is measured, such as preparing and removing
 * test files. Any call there may hang, so it runs in a separate thread. Meanwhile the run's
 * thread reports progress, obeys a stop, interrupts a call that continues after the stop, and
 * abandons the run if a call hangs for longer than the plan allows. */
#ifndef ASSAY_ERRAND_H
#define ASSAY_ERRAND_H

#include "limit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A wake-up this late means that this process or its machine was suspended. */
#define STANDSTILL_NS (1000 * NS_PER_MS)

/* How long this process was suspended, by a wake-up later than `due`; this is not a hung call. */
uint64_t stood_still_ns(uint64_t due, uint64_t now);

enum errand_kind { ERRAND_PREPARING, ERRAND_REMOVING };

/* Shared by the two threads. */
struct errand {
    struct limits *limits;
    enum errand_kind kind;
    atomic_bool ending;         /* the run or the trial is ending: optional work must not begin a new call */
    _Atomic(const char *) call; /* in the kernel, or the last one */
    _Atomic uint64_t calls;     /* calls so far */
    _Atomic uint64_t bytes;     /* done so far */
    _Atomic(const char *) doing; /* in progress events; NULL for that of the kind */
    _Atomic uint64_t total;     /* bytes; 0 if unknown */
    uint64_t deadline_ns;       /* of writing test files, CLOCK_MONOTONIC; 0 without. Of the errand's thread */
};

/* Runs `work` in a thread, or in this one if none can be created; returns its result. */
bool errand_run(struct errand *errand, enum errand_kind kind, uint64_t total, bool (*work)(void *argument), void *argument);

/* Names the next call; false if it must not begin. Called by `work`. */
bool errand_calls(struct errand *errand, const char *call);

/* Names what follows in progress events, and its bytes (0 if unknown). Called by `work`. */
void errand_does(struct errand *errand, const char *doing, uint64_t total);

/* Names the next call, a cleanup that is done even if the run is ending. */
void errand_clears(struct errand *errand, const char *call);

#endif
