/* Whether an attempt was suspended or starved: the process or the machine was suspended, or it
 * did not get its CPU. Such an attempt says nothing about the storage and does not count. Pure
 * functions of clock readings; heartbeat.c takes them.
 *
 * A thread that sleeps until `due` and does nothing else wakes late for two reasons: it had to
 * wait for a CPU, which the scheduler (run delay) and the hypervisor (steal) count, or it could
 * not run at all, which nothing counts. */
#ifndef ASSAY_DISTURBANCE_H
#define ASSAY_DISTURBANCE_H

#include "clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Operations of more than a quarter of a second are shown as stalls; a pause of this length must
 * not be mistaken for one. */
#define DISTURBANCE_LATE_NS (250 * NS_PER_MS)
/* Shorter pauses count if their sum is as long and is at least this share of the attempt. */
#define DISTURBANCE_PAUSED_PERCENT 10
#define DISTURBANCE_SLEPT_NS (10 * NS_PER_MS) /* the two clocks are read within a millisecond */
#define DISTURBANCE_WALL_NS (250 * NS_PER_MS)
/* The threads are starved if they lost half of their time, and at least this share of the
 * attempt's duration. */
#define DISTURBANCE_LOST_NS (2 * NS_PER_S)
#define DISTURBANCE_LOST_PERCENT 50

/* Disturbances with less time between them are one gap. */
#define GAP_JOIN_NS (10 * NS_PER_S)
/* An open gap that grows is reported again after this time. */
#define GAP_TELL_NS (5 * NS_PER_S)
/* Short pauses and waits for CPUs are judged over stretches of this length, or until an abrupt
 * disturbance or the end of the work. */
#define GAP_WINDOW_NS (60 * NS_PER_S)
/* An attempt with larger gaps does not count. */
#define GAPS_PERCENT 50

enum disturbance { UNDISTURBED, SUSPENDED, STARVED };
extern const char *const disturbance_names[]; /* NULL for UNDISTURBED */

/* The readings of one heartbeat. */
struct beat {
    uint64_t mono, boot, wall;   /* CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME */
    uint64_t run_delay, steal;   /* counters: of this thread, of the CPU it slept on */
    bool has_run_delay;
};

/* The readings of all heartbeats of an attempt. */
struct evidence {
    uint64_t began;
    uint64_t late_ns;      /* maximum delay of a heartbeat */
    uint64_t cpu_wait_ns;  /* maximum part of a heartbeat's delay that was a wait for a CPU */
    uint64_t paused_ns;    /* maximum part that was not */
    uint64_t paused_sum_ns;
    uint64_t slept_ns;     /* by how much boot time advanced more than monotonic time */
    int64_t wall_jump_ns;  /* largest step of the wall clock against monotonic time */
    uint64_t ended;
};

/* The CPU time of an attempt's threads while they worked. */
struct cpu_share {
    uint64_t duration_ns, threads, cpus;
    uint64_t used_ns;      /* CPU time of the whole process */
    uint64_t run_delay_ns; /* sum of all threads */
};

/* The gaps of an attempt that goes on after a disturbance. */
struct gaps {
    uint64_t looked_ns;           /* up to here no disturbance is missing */
    uint64_t from_ns, until_ns;   /* the open gap, CLOCK_MONOTONIC; 0 without one */
    uint64_t told_ns;             /* when it was last reported; 0 before */
    uint64_t told_until_ns;       /* its end in that report */
    uint64_t joined;              /* its disturbances */
    enum disturbance what;        /* its first one */
    bool excluded;                /* the process stood still in all of them, and each is known exactly */
    char words[200];
    uint64_t sum_ns;              /* of the attempt's gaps before it */
    struct evidence window;       /* since the last disturbance, at most GAP_WINDOW_NS */
    struct cpu_share window_cpu;  /* counters at its start */
};

/* Adds the heartbeat `now`, which was due at `due`. */
void evidence_add(struct evidence *evidence, const struct beat *before, const struct beat *now, uint64_t due);
enum disturbance evidence_verdict(const struct evidence *evidence);
/* Whether it shows one disturbance at a time, instead of many short ones. */
bool evidence_is_abrupt(const struct evidence *evidence);
/* Adds later readings. */
void evidence_merge(struct evidence *sum, const struct evidence *later);

/* How long the threads waited for CPUs used by other processes: without waits for each other, and
 * at most the CPU time that the process left unused. */
uint64_t cpu_lost_ns(const struct cpu_share *share);
bool cpu_starved(const struct cpu_share *share);

#endif
