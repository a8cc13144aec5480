#include "measure.h"

#include "clock.h"
#include "rundir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const sync_names[] = {"none", "complete", "bounded"};

static struct threadpool *pool_of(const struct measurement *measurement)
{
    return &measurement->attempt->pool;
}

static struct limits *limits_of(const struct measurement *measurement)
{
    return &measurement->attempt->workspace->limits;
}

static enum phase work_phase(const struct measurement *measurement)
{
    return measurement->attempt->writes ? PHASE_WRITE : PHASE_READ;
}

static void tell_to_stop(struct measurement *measurement, uint64_t now)
{
    if (measurement->stopped_ns != 0)
        return;
    atomic_store(&pool_of(measurement)->stop, true);
    measurement->stopped_ns = now;
}

static uint64_t past(uint64_t moment, uint64_t now)
{
    return moment != 0 && now > moment ? now - moment : 0;
}

static void note_interruption(struct measurement *measurement, uint64_t late)
{
    measurement->interrupts = true;
    struct text *line = notice_begin(measurement->attempt->workspace->spool, "interrupted",
                                     "a call was still in the kernel long after its trial's limit and was interrupted: the "
                                     "trial took longer than its limit");
    json_uint(line, "trial", measurement->attempt->trial->position);
    json_string(line, "call", threadpool_call(pool_of(measurement)));
    json_uint(line, "ns", late);
    event_end(measurement->attempt->workspace->spool);
}

/* Interrupts calls that exceed their limit or continue after a stop; false once they are
 * abandoned. */
static bool has_patience(struct measurement *measurement, uint64_t now)
{
    uint64_t stopped = past(measurement->stopped_ns, now), due = past(measurement->due_ns, now);
    uint64_t late = stopped > due ? stopped : due;
    if (late <= INTERRUPT_NS)
        return true;
    atomic_store(&pool_of(measurement)->stop, true);
    threadpool_interrupt(pool_of(measurement));
    if (!measurement->interrupts && measurement->stopped_ns == 0)
        note_interruption(measurement, late);
    if (late <= limits_of(measurement)->hang_ms * NS_PER_MS)
        return true;
    measurement->hung = threadpool_call(pool_of(measurement));
    threadpool_abandon(pool_of(measurement));
    return false;
}

/* The limits that hold while threads work. */
static void look_at_limits(struct measurement *measurement, uint64_t now)
{
    struct attempt *attempt = measurement->attempt;
    struct failure *failure = &attempt->failure;
    bool good = limits_hold(limits_of(measurement)) && !limits_aborted(limits_of(measurement));
    disturbed_look(measurement);
    if (past(measurement->due_ns, now) > 0)
        atomic_store(&pool_of(measurement)->overdue, true);
    if (attempt->writes && !failure->code)
        good = good && limits_space(limits_of(measurement), 0, failure);
    if (!failure->code)
        limits_memory(failure);
    if (!good || failure->code || measurement->disturbance != UNDISTURBED)
        tell_to_stop(measurement, now);
    else
        measurement->job->look(attempt, false);
}

/* Whether the final sync has reached its limit, which a pause that has just ended extends. */
static bool reaches_sync_limit(struct measurement *measurement, uint64_t now)
{
    if (measurement->sync_limit_ns == 0 || now < measurement->sync_limit_ns)
        return false;
    disturbed_look(measurement);
    return now >= measurement->sync_limit_ns;
}

/* Samples until the threads have finished the current stage, or until the limit of the final sync.
 * `end` is the time at which that was detected. */
static bool sample_through(struct measurement *measurement, enum phase phase, uint64_t *end)
{
    uint64_t interval = measurement->attempt->workspace->plan->sample_ms * NS_PER_MS, next_look = clock_mono() + CHECK_NS;
    for (;;) {
        uint64_t until = measurement->next_sample < next_look ? measurement->next_sample : next_look;
        if (measurement->sync_limit_ns != 0 && measurement->sync_limit_ns < until)
            until = measurement->sync_limit_ns;
        uint64_t now;
        bool done = threadpool_wait(pool_of(measurement), until, &now);
        *end = now;
        if (done)
            return true;
        if (now >= measurement->next_sample) {
            sample_emit(measurement, phase, now);
            measurement->next_sample += (now - measurement->next_sample) / interval * interval + interval;
        }
        if (reaches_sync_limit(measurement, now))
            return false;
        if (now >= next_look) {
            look_at_limits(measurement, now);
            if (!has_patience(measurement, now))
                return false;
            next_look = now + CHECK_NS;
        }
    }
}

static void note_thread_failure(struct measurement *measurement)
{
    struct attempt *attempt = measurement->attempt;
    for (uint64_t i = 0; i < attempt->pool.count && !attempt->failure.code; i++) {
        int error = attempt->pool.threads[i].error;
        if (error && error != EINTR) /* interrupted: what stopped it is the cause */
            measurement->job->explain(attempt, error);
    }
}

/* Whether every file was synced. A sync interrupted by a stop is not a failure of the storage. */
static bool check_syncs(struct measurement *measurement)
{
    bool synced = true;
    for (uint64_t i = 0; i < pool_of(measurement)->count; i++) {
        int error = atomic_load(&pool_of(measurement)->threads[i].sync_error);
        bool interrupted = error == EINTR && measurement->stopped_ns != 0;
        synced = synced && error == 0;
        if (error && !interrupted && !measurement->attempt->failure.code)
            fail_errno(&measurement->attempt->failure, error, "the final sync failed");
    }
    return synced;
}

/* The end of a stage, by the threads' timestamps. A sample taken after a thread's last return and
 * before its report has already moved the end to the end of that sample. */
static uint64_t stage_end(const struct measurement *measurement, uint64_t returned)
{
    return returned > measurement->sampled_ns ? returned : measurement->sampled_ns + 1;
}

/* The sync begins immediately after the last operation, before its first sample. */
static void final_sync(struct measurement *measurement, uint64_t worked)
{
    struct threadpool *pool = pool_of(measurement);
    threadpool_sync(pool);
    sample_emit(measurement, PHASE_WRITE, worked);
    uint64_t end;
    measurement->sync_limit_ns = worked + measurement->attempt->trial->sync_timeout_ms * NS_PER_MS;
    bool done = sample_through(measurement, PHASE_SYNC, &end);
    measurement->device_durable = counters_device(&measurement->instruments->counters);
    if (done) {
        uint64_t returned = 0;
        for (uint64_t i = 0; i < pool->count; i++)
            returned = pool->threads[i].synced_ns > returned ? pool->threads[i].synced_ns : returned;
        end = stage_end(measurement, returned);
    }
    if (check_syncs(measurement) && (done || measurement->stopped_ns == 0))
        measurement->sync = done ? SYNC_COMPLETE : SYNC_BOUNDED;
    measurement->durable_ns = end - pool->started_ns;
    sample_emit(measurement, PHASE_SYNC, end);
}

void measure(struct measurement *measurement)
{
    struct threadpool *pool = pool_of(measurement);
    const bool writes = measurement->attempt->writes;
    contention_begin(&measurement->contention, &measurement->instruments->counters, &measurement->instruments->processes);
    counters_begin_trial(&measurement->instruments->counters);
    counters_read(&measurement->instruments->counters, measurement->before);
    measurement->device_start = measurement->before->device;
    measurement->has_device = measurement->instruments->counters.device->source != COUNTER_NONE;
    disturbed_begin(measurement);
    threadpool_work(pool, measurement->attempt->trial->timeout_ms * NS_PER_MS);
    measurement->due_ns = pool->deadline_ns;
    sample_begin(measurement);
    uint64_t end;
    sample_through(measurement, work_phase(measurement), &end);
    measurement->device_app = measurement->device_durable = counters_device(&measurement->instruments->counters);
    uint64_t returned = threadpool_last_end(pool);
    disturbed_worked(measurement, end);
    measurement->overdue = past(measurement->due_ns, returned) > 0;
    measurement->due_ns = 0;
    note_thread_failure(measurement);
    disturbed_look(measurement);
    measurement->whole =
        !measurement->attempt->failure.code && !measurement->hung && measurement->stopped_ns == 0 && limits_hold(limits_of(measurement));
    if (measurement->whole)
        returned = end = stage_end(measurement, returned);
    else if (measurement->hung)
        returned = end;
    measurement->app_ns = returned - pool->started_ns;
    if (writes && measurement->whole && measurement->disturbance == UNDISTURBED)
        final_sync(measurement, end);
    else
        sample_emit(measurement, work_phase(measurement), end);
    if (measurement->hung) {
        measurement->contention.begun = false; /* it never ended, so its result is unknown */
        return;
    }
    bool settled = measurement->whole && (!writes || measurement->sync == SYNC_COMPLETE);
    contention_end(&measurement->contention, &measurement->instruments->counters, &measurement->instruments->processes,
                   &measurement->device_start, threadpool_bytes(pool_of(measurement)), settled);
    measurement->job->look(measurement->attempt, true);
    disturbed_end(measurement);
    if (measurement->disturbance != UNDISTURBED)
        measurement->sync = SYNC_NONE;
}

void measure_end(struct measurement *measurement)
{
    struct limits *limits = limits_of(measurement);
    struct threadpool *pool = pool_of(measurement);
    uint64_t began = clock_mono(), told_ns = 0, now = began, due = began + CHECK_NS;
    threadpool_leave(pool);
    for (; !threadpool_gone(pool, due, &now); due = now + CHECK_NS) {
        began += stood_still_ns(due, now);
        uint64_t waited = now - began;
        limits_hold(limits); /* a stop during the call takes effect once the call has returned */
        if (waited <= INTERRUPT_NS)
            continue;
        threadpool_interrupt(pool);
        if (now - told_ns >= PROGRESS_NS) {
            progress_event(limits->spool, "waiting", threadpool_call(pool), 0, 0);
            told_ns = now;
        }
        if (waited > limits->hang_ms * NS_PER_MS)
            limits_abandon(limits, threadpool_call(pool), waited);
    }
    threadpool_end(pool);
}
