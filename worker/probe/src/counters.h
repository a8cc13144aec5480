/* The host's counters that stand in each sample. The files stay open and are read again
 * from their start, which costs some tens of microseconds. What is missing on a host (PSI,
 * a local device) is marked absent, never zero. */
#ifndef ASSAY_COUNTERS_H
#define ASSAY_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_CPUS 4096
#define COUNTERS_NICS 64
#define NIC_NAME 16

struct device_bytes {
    uint64_t read, written, busy_ns;
};

struct snapshot {
    uint64_t user_ns, system_ns, softirq_ns, iowait_ns, idle_ns;
    uint64_t mem_available, mem_dirty, mem_writeback;
    struct device_bytes device;
    uint64_t net_rx, net_tx;
    uint64_t psi_cpu_some, psi_io_some, psi_io_full, psi_mem_some, psi_mem_full;
    uint64_t fs_free;
    int cpus;
    uint64_t busy_ns[COUNTERS_CPUS];
};

struct counters {
    int stat, meminfo, net, device; /* descriptors; -1 where absent */
    int psi_cpu, psi_io, psi_memory;
    uint64_t tick_ns;
    char nics[COUNTERS_NICS][NIC_NAME]; /* the cards that count */
    int nic_count;
    int target; /* directory whose file system's free space is looked at */
    _Atomic uint64_t free_bytes;
    atomic_bool watching;
    struct snapshot last; /* what was read last: a counter that can not be read stands still */
};

/* `device` is the name of the top block device or empty. Starts the thread that looks at
 * the free space: statfs may hang where writes do, and the sampler must not. False
 * with errno when the host tells nothing of its processors, memory or network. */
bool counters_open(struct counters *counters, const char *device, int target, uint64_t sample_ns);
void counters_close(struct counters *counters);

void counters_read(struct counters *counters, struct snapshot *snapshot);
struct device_bytes counters_device(struct counters *counters);

/* Free bytes for unprivileged users in the file system of a directory; false with errno. */
bool counters_free_space(int dir, uint64_t *bytes);

#endif
