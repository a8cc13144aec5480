/* The traffic of others on the device during a trial: the device's bytes in both directions
 * beside this process's own, the bytes of other processes where they may be read, and, where the
 * device moved more than this process, its traffic while the probe is idle just after. */
#ifndef ASSAY_CONTENTION_H
#define ASSAY_CONTENTION_H

#include "counters.h"
#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The duration of the idle reading after a trial. */
#define QUIET_NS (200 * NS_PER_MS)

struct io_bytes {
    uint64_t read, written;
};

/* What each process of the host had moved at some time, ordered by process. */
struct processes {
    struct process_io {
        uint64_t pid;
        struct io_bytes bytes;
    } * list;
    size_t count, room;
    uint64_t read_ns; /* CLOCK_BOOTTIME, before the first was read; 0 when none was */
    bool all;         /* of the machine, and each could be read */
};

struct contention {
    bool begun, has_device, knows_own, sees_all;
    struct io_bytes own, device, quiet, others; /* others: of processes that could be read */
    uint64_t quiet_ns;
    char busiest[64]; /* the process that moved most, or empty */
    uint64_t busiest_bytes;
};

/* Looks before a trial. A reading of the processes that was taken just before, after the last
 * trial, is taken for this one's, so that short trials follow each other closely. */
void contention_begin(struct contention *contention, struct counters *counters, struct processes *processes);

/* Looks after it, and leaves a new reading of the processes. `settled`: nothing of the trial is
 * still on its way to the device, so that a quiet moment can follow where there is something to
 * explain. `start` are the device's counters at the trial's start. */
void contention_end(struct contention *contention, struct counters *counters, struct processes *processes, const struct device_bytes *start, uint64_t trial_bytes, bool settled);

/* The field `contention` of a result; null for a trial that never began. */
void contention_field(struct text *line, const struct contention *contention);

/* Frees a reading. */
void processes_free(struct processes *processes);

#endif
