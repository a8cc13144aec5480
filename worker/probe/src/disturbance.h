/* Whether an attempt was disturbed by a cause other than the storage: the process or the machine
 * was suspended, or it did not get its CPU. Pure functions of clock readings; heartbeat.c takes
 * them. An attempt of which either is found does not count.
 *
 * * A thread that sleeps until `due` and does nothing else wakes late for two reasons: it had to
 * wait for a CPU, which the scheduler (run delay) and the hypervisor (steal) count, or it could
 * not run at all, which nobody counts. */
#ifndef ASSAY_DISTURBANCE_H
#define ASSAY_DISTURBANCE_H

#include "clock.h"

#include <stdbool.h>
#include <stdint.h>

/* An operation of more than a quarter of a second is shown as a stall; a pause as long must
 * not be taken for one. */
#define DISTURBANCE_LATE_NS (250 * NS_PER_MS)
/* Shorter pauses count when together they are as long and take this share of the attempt. */
#define DISTURBANCE_PAUSED_PERCENT 10
#define DISTURBANCE_SLEPT_NS (10 * NS_PER_MS) /* the two clocks are read within a millisecond */
#define DISTURBANCE_WALL_NS (250 * NS_PER_MS)
/* The threads are starved when they lost half of their time, and at least this much of the
 * attempt's duration. */
#define DISTURBANCE_LOST_NS (2 * NS_PER_S)
#define DISTURBANCE_LOST_PERCENT 50

enum disturbance { UNDISTURBED, SUSPENDED, STARVED };
extern const char *const disturbance_names[]; /* NULL for UNDISTURBED */

/* What the heartbeat reads when it wakes. */
struct beat {
    uint64_t mono, boot, wall;   /* CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME */
    uint64_t run_delay, steal;   /* counters: of this thread, of the CPU it slept on */
    bool has_run_delay;
};

/* What all beats of an attempt have shown so far. */
struct evidence {
    uint64_t began;
    uint64_t late_ns;      /* greatest lateness of a beat */
    uint64_t cpu_wait_ns;  /* greatest part of a beat's lateness that was a wait for a CPU */
    uint64_t paused_ns;    /* greatest part that was not */
    uint64_t paused_sum_ns;
    uint64_t slept_ns;     /* by which boot time outran monotonic time */
    int64_t wall_jump_ns;  /* greatest step of the wall clock against monotonic time */
    uint64_t ended;
};

/* What an attempt's threads got of the CPUs while they worked. */
struct cpu_share {
    uint64_t duration_ns, threads, cpus;
    uint64_t used_ns;      /* CPU time of the whole process */
    uint64_t run_delay_ns; /* of all threads together */
};

/* Adds the beat `now`, which was due at `due`, to the evidence. */
void evidence_add(struct evidence *evidence, const struct beat *before, const struct beat *now, uint64_t due);
enum disturbance evidence_verdict(const struct evidence *evidence);

/* How much of their time the threads waited for CPUs that others had: neither each other's
 * turn, nor more than the CPUs that the process left unused. */
uint64_t cpu_lost_ns(const struct cpu_share *share);
bool cpu_starved(const struct cpu_share *share);

#endif
