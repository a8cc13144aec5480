/* The activity of a probe's threads, seen from another process. */
#ifndef ASSAY_THREADS_H
#define ASSAY_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* Names the calling thread after the system call that it is about to make, so that another
 * process can see what a probe waits for; NULL gives it the program's name again. */
void thread_calls(const char *call);

/* The call that a thread of another probe makes now, by its name: one that waits in the
 * kernel before any other. False when there is none. */
#define CALL_NAME 16
bool threads_call(pid_t pid, char call[CALL_NAME]);

/* Whether one of them was sent SIGKILL and is there all the same. */
bool threads_were_killed(pid_t pid);

#endif
