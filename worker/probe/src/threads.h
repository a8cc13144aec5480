/* The activity of a probe's threads, seen from another process. */
#ifndef ASSAY_THREADS_H
#define ASSAY_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* Names the calling thread after the system call that it is about to make, so that another
 * process can see what a probe waits for; NULL restores the program's name. */
void thread_calls(const char *call);

/* The current call of a thread of another probe, by its name, preferably one that waits in the
 * kernel. False if there is none. */
#define CALL_NAME 16
bool threads_call(pid_t pid, char call[CALL_NAME]);

/* Whether one of them was sent SIGKILL and still exists. */
bool threads_were_killed(pid_t pid);

#endif
