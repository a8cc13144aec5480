/* The limits that control groups set for this process. */
#ifndef ASSAY_CGROUP_H
#define ASSAY_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory that this process can still allocate, in bytes: the minimum of MemAvailable and of
 * what its memory cgroups (v1 and v2) have left, where page cache counts as free. */
uint64_t cgroup_mem_room(void);

/* The minimum of MemTotal and the limits of this process's cgroups (v1 and v2). */
uint64_t cgroup_mem_limit(void);

/* The CPU throttling time of this process's cgroups: that of the most throttled group. False if
 * no group reports it. */
bool cgroup_cpu_throttled(uint64_t *ns);

/* Whether a CPU group of this process (v1) has no real-time budget, so that the kernel refuses
 * real-time threads; `group` is the path of its directory. */
bool cgroup_lacks_real_time(char *group, size_t size);

#endif
