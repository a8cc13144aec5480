/* The host's counters that are part of each sample. The files stay open and are read again from
 * their start, which takes some tens of microseconds. Missing counters (PSI, a local device) are
 * marked as absent, never as zero. */
#ifndef ASSAY_COUNTERS_H
#define ASSAY_COUNTERS_H

#include "devcounter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_CPUS 4096
#define COUNTERS_NICS 64
#define NIC_NAME 16

/* One CPU's time by /proc/stat, in its order. */
enum cpu_time { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL, CPU_TIMES };

struct snapshot {
    uint64_t read_ns;               /* when the CPUs' times were read, CLOCK_MONOTONIC */
    uint64_t cpu_ticks[CPU_TIMES]; /* of all CPUs, since the counters were opened */
    uint64_t mem_available, mem_dirty, mem_writeback;
    struct device_bytes device;
    uint64_t net_rx, net_tx;
    uint64_t psi_cpu_some, psi_io_some, psi_io_full, psi_mem_some, psi_mem_full;
    uint64_t fs_free;
    int cpus;                         /* one more than the highest CPU number seen */
    uint64_t busy_ticks[COUNTERS_CPUS]; /* of each CPU, by its number */
};

/* A CPU's line as it was read last, in ticks since boot. */
struct cpu_reading {
    bool known;
    uint64_t ticks[CPU_TIMES];
};

struct counters {
    int stat, meminfo, net; /* descriptors; -1 where absent */
    int psi_cpu, psi_io, psi_memory;
    struct devcounter *device;
    struct device_bytes device_still; /* the device counter at the start of the trial */
    uint64_t tick_ns;
    char nics[COUNTERS_NICS][NIC_NAME]; /* the network cards that count */
    int nic_count;
    int target; /* directory whose file system's free space is read; -1 without one */
    _Atomic uint64_t free_bytes;
    atomic_int free_error; /* errno if the free space cannot be determined */
    atomic_bool watching;
    struct cpu_reading cpu_seen[COUNTERS_CPUS]; /* by the CPU's number */
    struct snapshot last; /* the last reading: a counter that cannot be read keeps its value */
};

/* `device` is the counter of the target; it remains the caller's. Starts the thread that reads
 * the free space: statfs may hang when writes do, and must not block the sampler. False with
 * errno if the host does not report its processors, memory or network, or if the thread cannot be
 * started. */
bool counters_open(struct counters *counters, struct devcounter *device, int target, uint64_t sample_ns);
void counters_close(struct counters *counters);

void counters_read(struct counters *counters, struct snapshot *snapshot);
/* What happened between two snapshots, as the sample's columns of the host; those of absent counters
 * keep their value. */
void counters_columns(const struct counters *counters, const struct snapshot *before, const struct snapshot *now,
                      int64_t *column);
/* How much a counter grew; 0 if it stepped back. */
int64_t counters_difference(uint64_t after, uint64_t before);

struct device_bytes counters_device(struct counters *counters);

/* Marks the start of a trial: from now on a doubtful counter counts once it changes. */
void counters_begin_trial(struct counters *counters);
/* Whether the device counter can be trusted. */
bool counters_device_counts(const struct counters *counters);

/* Free bytes for unprivileged users in the file system of a directory; false with errno. */
bool counters_free_space(int dir, uint64_t *bytes);

#endif
