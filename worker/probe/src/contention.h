/* What others did to the device while a trial ran: the device's bytes in both directions
 * beside this process's own, the bytes of other processes where they may be read, and, where the
 * device moved more than this process, its traffic in a quiet moment just after. */
#ifndef ASSAY_CONTENTION_H
#define ASSAY_CONTENTION_H

#include "counters.h"
#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a quiet moment lasts. */
#define QUIET_NS (200 * NS_PER_MS)

struct io_bytes {
    uint64_t read, written;
};

struct process_io {
    uint64_t pid, started;
    struct io_bytes bytes;
};

struct contention {
    bool begun, has_device, knows_own, sees_all;
    struct process_io *before;
    size_t before_count;
    struct io_bytes own, device, quiet, others; /* others: of processes that could be read */
    uint64_t quiet_ns;
    char busiest[64]; /* the process that moved most, or empty */
    uint64_t busiest_bytes;
};

/* Looks before a trial: takes a reading of each process. */
void contention_begin(struct contention *contention, struct counters *counters);

/* Looks after it. `settled`: nothing of the trial is still on its way to the device, so
 * that a quiet moment can follow where there is something to explain. `start` are the device's
 * counters at the trial's start. */
void contention_end(struct contention *contention, struct counters *counters, const struct device_bytes *start, uint64_t trial_bytes, bool settled);

/* The field `contention` of a result; null for a trial that never began. Frees the readings. */
void contention_field(struct text *line, struct contention *contention);

#endif
