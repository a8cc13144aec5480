/* What the threads of a probe do, seen from another process. */
#ifndef ASSAY_THREADS_H
#define ASSAY_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether one of them waits in the kernel (state D), and can not be ended from outside. */
bool threads_wait_in_kernel(pid_t pid);
/* Whether one of them was sent SIGKILL and is there all the same. */
bool threads_were_killed(pid_t pid);

#endif
