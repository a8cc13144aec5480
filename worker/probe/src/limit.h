/* Reasons to end a run before its trials are done: a stop request, a signal, the watch deadline,
 * a full spool, too little space or memory, or a call that hangs in the kernel. Only the run's
 * thread changes this; the thread of an errand reads it. (A file named limits.h would hide the C
 * library's.) */
#ifndef ASSAY_LIMIT_H
#define ASSAY_LIMIT_H

#include "clock.h"
#include "counters.h"
#include "failure.h"
#include "spool.h"

#include <stdbool.h>
#include <stdint.h>

/* How often a run checks for a stop request. */
#define CHECK_NS (100 * NS_PER_MS)
/* A call that is overdue by this time is interrupted. */
#define INTERRUPT_NS (2 * NS_PER_S)
/* The minimum interval between progress events outside measurements. */
#define PROGRESS_NS NS_PER_S

enum ending { ENDING_NONE, ENDING_STOPPED, ENDING_DEADLINE, ENDING_FAILED };

struct limits {
    int rundir;
    struct spool *spool;
    struct counters *counters; /* when the free space was last read */
    int dir;                   /* a descriptor in the target, to read the free space; -1 before it is open */
    uint64_t reserve_bytes;
    uint64_t hang_ms; /* a call that takes longer is abandoned */
    enum ending ending;
    const char *ending_reason; /* a failure's code, or NULL */
    int64_t shared_trial; /* position of the trial that other participants may abort; -1 without */
    uint64_t next_check;
    uint64_t complete; /* trials */
};

/* Installs the signal handlers: for the signals that end a run, and the one that interrupts a
 * call. */
void limits_take_signals(void);

/* Checks, at most every CHECK_NS, for a stop request, a signal, the watch deadline and an
 * unwritable spool; false if the run is to end. */
bool limits_hold(struct limits *limits);

/* Whether another participant has failed, so that the trial that they share is to end. */
bool limits_aborted(const struct limits *limits);

/* Ends the run; only the first cause counts. */
void limits_end(struct limits *limits, enum ending ending, const char *reason);

/* Whether `bytes` more fit without using the reserve. */
bool limits_space(const struct limits *limits, uint64_t bytes, struct failure *failure);

/* Whether enough memory is left for the host's other processes. */
bool limits_memory(struct failure *failure);

/* Writes `end`. */
void limits_say_end(struct limits *limits, bool cleaned);

/* Abandons a run with a call that hangs in the kernel: writes an error and `end`, and exits; the
 * kernel ends the threads of an exited process when it can. The next contact sweeps remaining
 * files. */
_Noreturn void limits_abandon(struct limits *limits, const char *call, uint64_t waited_ns);

#endif
