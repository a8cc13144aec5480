/* The heartbeat: a thread that sleeps, wakes and records the time, so that a pause of the process
 * or the machine is detected whatever the other threads wait for. It reads only clocks and /proc:
 * a slow disk under the spool never delays it. */
#ifndef ASSAY_HEARTBEAT_H
#define ASSAY_HEARTBEAT_H

#include "disturbance.h"
#include "standstill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define HEARTBEAT_NS (100 * NS_PER_MS)

struct heartbeat {
    pthread_mutex_t mutex;
    pthread_cond_t beaten;
    _Atomic pid_t thread; /* 0 before it runs */
    int stat, schedstat; /* /proc files; -1 where absent */
    uint64_t due;
    struct evidence evidence; /* of the current attempt */
    uint64_t late_ns;         /* maximum since the last call of heartbeat_late */
    struct standstill standstill;
};

/* Starts the thread, which runs until the process exits; false with errno. */
bool heartbeat_start(struct heartbeat *heartbeat);

/* Starts a new attempt: earlier readings are discarded. */
void heartbeat_begin(struct heartbeat *heartbeat);

/* The readings since then. Waits for an overdue heartbeat, at most a second: after a pause this
 * thread may be the first to wake. */
struct evidence heartbeat_look(struct heartbeat *heartbeat);
/* The same, and discards them: the next call returns later ones. */
struct evidence heartbeat_take(struct heartbeat *heartbeat);

/* The run delay in a /proc/.../schedstat file; false if the kernel keeps none. */
bool heartbeat_run_delay(int schedstat, uint64_t *ns);

/* The maximum delay of a heartbeat since the last call. */
uint64_t heartbeat_take_late(struct heartbeat *heartbeat);

#endif
