/* What a kernel thread moves bytes for. The kernel writes for a file system, a loop device, an
 * encrypted volume or a RAID by threads of its own: those below a target belong to it, those of
 * other devices are others, and of some nobody can tell. */
#ifndef ASSAY_KTHREADS_H
#define ASSAY_KTHREADS_H

#include "blockdev.h"

#include <stdbool.h>
#include <stdint.h>

enum kthread_use { KTHREAD_OF_TARGET, KTHREAD_OF_OTHERS, KTHREAD_UNKNOWN };

bool kthread_is(uint64_t pid);

/* By the device that its name tells: of "jbd2/sda1-8", "kworker/u8:0-loop7", "md0_raid1",
 * "kcryptd/253:0" or "kworker/u8:1-flush-8:0". `stack` are the target's devices and all below. */
enum kthread_use kthread_use(const char *name, const struct device_names *stack);

/* As above, of a thread by its number. */
enum kthread_use kthread_use_of(uint64_t pid, const struct device_names *stack);

#endif
