/* Other traffic on the device during a trial: the device's bytes in both directions in addition
 * to this process's, those on the same disks beside it, those of other processes if they may be
 * read, and, if the device
 * transferred more than this process, its traffic just after the trial, while the probe is idle. */
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

/* The bytes of each process of the host at one time, ordered by process. */
struct processes {
    struct process_io {
        uint64_t pid;
        struct io_bytes bytes;
        bool kernel; /* a thread of the kernel that has moved something */
        uint64_t parent; /* 0 for such a thread */
        struct io_bytes gained; /* since the reading before, with what its ended children had */
    } * list;
    size_t count, room;
    uint64_t read_ns; /* CLOCK_BOOTTIME before the first was read; 0 if none was */
    bool all;         /* all processes of the machine could be read */
};

struct contention {
    bool begun, has_device, knows_own, sees_all, knows_neighbors;
    struct io_bytes own, device, quiet, others; /* others: of processes that could be read */
    struct io_bytes appliance; /* of Assay's own processes, which are not among the others */
    struct neighbor_bytes neighbors;
    uint64_t quiet_ns;
    uint64_t unattributed; /* bytes of kernel threads that may serve the target, or others */
    char busiest[64]; /* the busiest process, or empty */
    uint64_t busiest_bytes;
};

/* Reads before a trial. A reading of the processes taken just before, after the previous trial,
 * is reused, so that short trials can follow each other closely. */
void contention_begin(struct contention *contention, struct counters *counters, struct processes *processes);

/* Reads after a trial, and keeps the new reading of the processes. `settled`: no data of the
 * trial is still on its way to the device, so that an idle period can be measured if there is
 * something to explain. `start` are the device's counters at the trial's start. */
void contention_end(struct contention *contention, struct counters *counters, struct processes *processes, const struct device_bytes *start, uint64_t trial_bytes, bool settled);

/* The field `contention` of a result; null for a trial that never began. */
void contention_field(struct text *line, const struct contention *contention);

/* Frees a reading. */
void processes_free(struct processes *processes);

#endif
