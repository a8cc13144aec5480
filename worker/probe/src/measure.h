/* Measurement of one attempt: while its threads work, this thread samples it on an absolute
 * timer, checks limits, and collects the figures of the result. */
#ifndef ASSAY_MEASURE_H
#define ASSAY_MEASURE_H

#include "contention.h"
#include "disturbance.h"
#include "heartbeat.h"
#include "job.h"

enum phase { PHASE_WRITE, PHASE_SYNC, PHASE_READ };
enum sync_state { SYNC_NONE, SYNC_COMPLETE, SYNC_BOUNDED };
extern const char *const sync_names[];

/* The counters that a run reads while it measures. */
struct instruments {
    struct counters counters;
    struct processes processes; /* as last read */
    struct heartbeat heartbeat;
};

struct measurement {
    struct attempt *attempt;
    const struct job *job;
    struct instruments *instruments;

    /* the sampler's */
    struct snapshot *before, *now;
    struct tally tallies[THREADS_MOST];
    uint64_t sampled_ns; /* end of the last sample, CLOCK_MONOTONIC */
    uint64_t next_sample;
    uint64_t stopped_ns; /* when the threads were told to stop; 0 before */
    uint64_t due_ns;     /* the limit of the current stage; 0 without one */
    uint64_t sync_limit_ns; /* of the final sync, which goes on unwatched after it; 0 before it */
    bool interrupts;     /* an operation exceeded its limit and was interrupted */
    bool overdue;        /* the last operation returned after the limit */
    const char *hung;    /* the abandoned call, or NULL */

    /* gathered; times since the trial's start */
    uint64_t app_ns, durable_ns;
    enum sync_state sync;
    bool whole; /* the work neither was stopped nor failed */
    bool has_device;
    struct device_bytes device_start, device_app, device_durable;
    struct contention contention;

    /* the cause of a disturbance other than the storage */
    enum disturbance disturbance;
    struct evidence evidence;
    struct gaps gaps;
    struct cpu_share cpu;
    uint64_t run_delay_ns; /* of the threads, when it was last read */
    bool has_run_delay;
    uint64_t throttled_ns; /* at the start; then since */
    bool has_throttled;
};

/* Runs the threads through work and final sync, emitting samples. A failure of a thread or of a
 * limit is stored in the attempt's `failure`. The threads are not ended, because a timed-out sync
 * may still hang. If a call was abandoned, `hung` names it, and the threads remain. */
void measure(struct measurement *measurement);

/* Ends the threads after their last call has returned; if that takes too long, the run is
 * abandoned. */
void measure_end(struct measurement *measurement);

/* Starts to look for disturbances. */
void disturbed_begin(struct measurement *measurement);
/* Judges what happened since; called while threads work or sync. */
void disturbed_look(struct measurement *measurement);
/* Takes the CPU time of the threads, which finished their work at `end`. */
void disturbed_worked(struct measurement *measurement, uint64_t end);
/* Judges the whole attempt. */
void disturbed_end(struct measurement *measurement);

/* Emits the interval from the last sample to `now` as a sample. */
void sample_emit(struct measurement *measurement, enum phase phase, uint64_t now);
void sample_begin(struct measurement *measurement);

#endif
