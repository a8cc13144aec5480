/* The CPU and I/O priority of threads. What the host does not permit is refused by naming the
 * capability, the limit or the control group that refuses it. */
#ifndef ASSAY_PRIORITY_H
#define ASSAY_PRIORITY_H

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum cpu_priority { PRIORITY_NORMAL, PRIORITY_HIGH, PRIORITY_FIFO, PRIORITY_RR };
/* Highest and lowest level of the class best effort, between the other classes. */
enum io_priority { IO_PRIORITY_DEFAULT, IO_PRIORITY_REAL_TIME, IO_PRIORITY_HIGH, IO_PRIORITY_LOW, IO_PRIORITY_IDLE };

struct priority {
    uint64_t cpu, io;
};

/* Whether the host permits a priority to threads, and one level more to those that watch them;
 * it is tried with a thread. False with a failure. */
bool priority_permitted(const struct priority *priority, struct failure *failure);

/* Gives the priority to the calling thread; 0 or an errno. */
int priority_take(const struct priority *priority);

/* Gives the CPU priority of the level below to the calling thread, whose later threads inherit it;
 * 0 or an errno. */
int priority_take_below(const struct priority *priority);

/* A thread above others, and what it had before. */
struct leader {
    pid_t thread; /* 0 if it was not raised */
    int nice;
};

/* Raises a thread one level above threads of this priority, so that it observes them however busy
 * they are; not above normal ones. */
struct leader priority_lead(const struct priority *priority, pid_t thread);
void priority_step_down(const struct leader *leader);

/* Whether the I/O priority has no effect on the disks below a device (empty: there is none); `why`
 * says so, with what to do. `buffered`: writes return before the device has the data. */
bool priority_ignored(const struct priority *priority, const char *device, bool buffered, char *why, size_t size);

#endif
