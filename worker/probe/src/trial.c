#include "trial.h"

#include "clock.h"
#include "rundir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BARRIER_LOOK_NS (10 * NS_PER_MS)

struct execution {
    struct executor *executor;
    struct attempt attempt;
    struct measurement measurement;
    struct snapshot snapshots[2];
    uint64_t agreed_ns; /* the agreed start of the participants, CLOCK_MONOTONIC; 0 without a barrier */
};

static void trial_event(const struct execution *execution)
{
    const struct trial *trial = execution->attempt.trial;
    struct spool *spool = execution->attempt.workspace->spool;
    struct text *line = event_begin(spool, "trial");
    json_uint(line, "trial", trial->position);
    json_uint(line, "attempt", trial->attempt);
    if (trial->done_bytes) { /* spool.c reads them back */
        json_uint(line, "done_bytes", trial->done_bytes);
        json_uint(line, "done_ns", trial->done_ns);
    }
    json_known(line, "total_bytes", trial->total_bytes ? (int64_t)trial->total_bytes : -1);
    json_open(line, "parameters", '{');
    fields_write(line, execution->executor->job->type.fields, trial);
    json_close(line, '}');
    event_end(spool);
}

static bool prepare(struct execution *execution)
{
    struct attempt *attempt = &execution->attempt;
    struct limits *limits = &attempt->workspace->limits;
    bool good = execution->executor->job->prepare(attempt);
    const bool ends = !limits_hold(limits) || limits_aborted(limits);
    if (attempt->failure.error == EINTR && ends)
        attempt->failure = (struct failure){0}; /* the stop has interrupted a call: nothing failed */
    if (!good || ends)
        return false;
    attempt->started = threadpool_start(&attempt->pool);
    return attempt->started || fail_errno(&attempt->failure, errno, "a thread cannot be started");
}

static void say_ready(const struct attempt *attempt)
{
    attempt_event(attempt, "ready");
    event_end(attempt->workspace->spool);
}

/* Waits at the barrier until the agreed start, so that the participants of a run begin together;
 * false when the trial is aborted or the run is to end. */
static bool pass_barrier(struct execution *execution)
{
    const struct attempt *attempt = &execution->attempt;
    struct limits *limits = &attempt->workspace->limits;
    if (!attempt->workspace->plan->barrier)
        return true;
    say_ready(attempt);
    while (limits_hold(limits)) {
        uint64_t at = 0, now = clock_read(CLOCK_BOOTTIME);
        enum release release = rundir_released(limits->rundir, attempt->trial->position, &at);
        if (release == RELEASE_ABORT)
            return false;
        if (release == RELEASE_FINISH) /* the other end began, and has finished before this one looked */
            at = now;
        if ((release == RELEASE_AT || release == RELEASE_FINISH) && now >= at) {
            execution->agreed_ns = clock_mono() - (now - at);
            return true;
        }
        uint64_t left = release == RELEASE_AT ? at - now : BARRIER_LOOK_NS;
        clock_sleep(left < BARRIER_LOOK_NS ? left : BARRIER_LOOK_NS);
    }
    return false;
}

struct outcome {
    uint64_t ops, bytes, latency_sum, latency_min, latency_max, first_done, last_done, data_ns;
    bool timed_out;
    uint64_t histogram[HISTOGRAM_STEPS];
};

static void gather(const struct attempt *attempt, struct outcome *outcome)
{
    const struct threadpool *pool = &attempt->pool;
    *outcome = (struct outcome){.latency_min = UINT64_MAX, .first_done = UINT64_MAX};
    for (uint64_t i = 0; attempt->started && i < pool->count; i++) {
        const struct thread *thread = &pool->threads[i];
        const struct meter *meter = &thread->meter;
        struct tally tally = meter_tally(meter);
        uint64_t done = meter_last_end(meter) - pool->started_ns;
        outcome->timed_out |= thread->timed_out;
        if (tally.ops == 0)
            continue; /* it had no block left, so its end does not depend on the storage */
        outcome->ops += tally.ops;
        outcome->bytes += tally.bytes;
        outcome->latency_sum += tally.latency_sum;
        outcome->latency_min = meter->latency_min < outcome->latency_min ? meter->latency_min : outcome->latency_min;
        outcome->latency_max = meter->latency_max > outcome->latency_max ? meter->latency_max : outcome->latency_max;
        outcome->first_done = done < outcome->first_done ? done : outcome->first_done;
        outcome->last_done = done > outcome->last_done ? done : outcome->last_done;
        outcome->data_ns += meter_between_ns(meter);
        for (int step = 0; step < HISTOGRAM_STEPS; step++)
            outcome->histogram[step] += meter->histogram[step];
    }
}

static const char *status_of(const struct execution *execution, const struct outcome *outcome)
{
    const struct attempt *attempt = &execution->attempt;
    const struct measurement *measurement = &execution->measurement;
    if (attempt->failure.code)
        return "failed";
    if (measurement->disturbance != UNDISTURBED)
        return disturbance_names[measurement->disturbance];
    bool synced = !attempt->writes || measurement->sync != SYNC_NONE;
    bool late = outcome->timed_out || measurement->interrupts || measurement->overdue;
    if (late && measurement->hung && measurement->stopped_ns == 0)
        return "timed_out";
    if (late && measurement->whole && synced)
        return "timed_out"; /* even if the operation that exceeded the limit was the last one */
    if (attempt->started && attempt->complete && synced)
        return "complete";
    return "stopped";
}

static void result_latencies(struct text *line, const struct outcome *outcome)
{
    json_known(line, "lat_min_ns", outcome->ops ? (int64_t)outcome->latency_min : -1);
    json_known(line, "lat_max_ns", outcome->ops ? (int64_t)outcome->latency_max : -1);
    json_uint(line, "lat_sum_ns", outcome->latency_sum);
    histogram_field(line, "hist", outcome->histogram);
}

static int64_t device_moved(const struct execution *execution, const struct device_bytes *now)
{
    const struct device_bytes *start = &execution->measurement.device_start;
    if (!execution->measurement.has_device)
        return -1;
    const uint64_t written = execution->attempt.writes ? now->written - start->written : 0;
    const bool reads = !execution->attempt.writes || execution->attempt.mixed;
    return (int64_t)(written + (reads ? now->read - start->read : 0));
}

static void result_evidence(struct text *line, struct execution *execution)
{
    const struct measurement *measurement = &execution->measurement;
    const struct findings *findings = &execution->attempt.findings;
    struct devcounter *counter = &execution->attempt.workspace->target.counter;
    devcounter_check(counter);
    devcounter_field(line, counter);
    json_known(line, "dev_app_bytes", device_moved(execution, &measurement->device_app));
    json_known(line, "dev_durable_bytes", device_moved(execution, &measurement->device_durable));
    json_uint(line, "resident_checked", findings->resident_checked);
    json_uint(line, "resident_pages", findings->resident_pages);
    json_uint(line, "resident_after_checked", findings->resident_after_checked);
    json_uint(line, "resident_after_pages", findings->resident_after_pages);
    json_string(line, "unwritten", extents_names[findings->unwritten]);
}

static void result_disturbance(struct text *line, const struct measurement *measurement)
{
    const struct evidence *seen = &measurement->evidence;
    json_open(line, "disturbance", '{');
    json_uint(line, "late_ns", seen->late_ns);
    json_uint(line, "cpu_wait_ns", seen->cpu_wait_ns);
    json_uint(line, "paused_ns", seen->paused_sum_ns);
    json_uint(line, "slept_ns", seen->slept_ns);
    json_int(line, "wall_jump_ns", seen->wall_jump_ns);
    json_known(line, "cpu_lost_ns", measurement->has_run_delay ? (int64_t)cpu_lost_ns(&measurement->cpu) : -1);
    json_known(line, "throttled_ns", measurement->has_throttled ? (int64_t)measurement->throttled_ns : -1);
    json_close(line, '}');
}

/* Delay of the threads' start after the agreed time, in ns; -1 if no start was agreed or none
 * started. */
static int64_t start_delay(const struct execution *execution)
{
    uint64_t started = execution->attempt.pool.started_ns, agreed = execution->agreed_ns;
    if (agreed == 0 || started == 0)
        return -1;
    return started > agreed ? (int64_t)(started - agreed) : 0;
}

static void result_detail(struct text *line, struct execution *execution)
{
    const struct job *job = execution->executor->job;
    if (!job->detail || !execution->attempt.started) {
        json_null(line, "detail");
        return;
    }
    json_open(line, "detail", '{');
    job->detail(&execution->attempt, line);
    json_close(line, '}');
}

static void result_event(struct execution *execution, const char *status, const struct outcome *outcome)
{
    const struct measurement *measurement = &execution->measurement;
    const struct attempt *attempt = &execution->attempt;
    struct spool *spool = attempt->workspace->spool;
    uint64_t started = attempt->pool.started_ns;
    struct text *line = attempt_event(attempt, "result");
    json_string(line, "status", status);
    json_string(line, "reason", attempt->failure.code);
    json_known(line, "started_ns", started ? (int64_t)(started - spool->started) : -1);
    json_known(line, "start_delay_ns", start_delay(execution));
    json_uint(line, "ops", outcome->ops);
    json_uint(line, "bytes", outcome->bytes);
    json_uint(line, "app_ns", measurement->app_ns);
    json_known(line, "durable_ns", measurement->sync == SYNC_NONE ? -1 : (int64_t)measurement->durable_ns);
    json_string(line, "sync", sync_names[measurement->sync]);
    json_uint(line, "first_done_ns", outcome->first_done == UINT64_MAX ? 0 : outcome->first_done);
    json_uint(line, "last_done_ns", outcome->last_done);
    result_latencies(line, outcome);
    result_evidence(line, execution);
    result_disturbance(line, measurement);
    json_uint(line, "data_ns", outcome->data_ns);
    json_uint(line, "verify_errors", verification_errors(&attempt->findings.verification));
    json_known(line, "first_read_bytes", attempt->findings.first_read_bytes);
    json_uint(line, "working_set_bytes", attempt->working_set);
    json_uint(line, "mem_limit_bytes", attempt->workspace->mem_limit);
    contention_field(line, &measurement->contention);
    result_detail(line, execution);
    event_end(spool);
}

static void conclude(struct execution *execution)
{
    struct attempt *attempt = &execution->attempt;
    struct limits *limits = &attempt->workspace->limits;
    struct spool *spool = attempt->workspace->spool;
    static struct outcome outcome; /* static, because it has 18 kB; there is one trial at a time */
    gather(attempt, &outcome);
    attempt->synced = execution->measurement.sync == SYNC_COMPLETE && execution->measurement.disturbance == UNDISTURBED;
    execution->executor->job->conclude(attempt);
    if (attempt->unchecked)
        execution->measurement.sync = SYNC_NONE;
    const char *status = status_of(execution, &outcome);
    if (attempt->failure.code)
        failure_event(spool, &attempt->failure, (int64_t)attempt->trial->position);
    if (execution->measurement.sync == SYNC_BOUNDED) {
        struct text *line = notice_begin(spool, "sync_bounded",
                                         "the final sync took longer than its limit: the durable rate is an upper bound");
        json_uint(line, "trial", attempt->trial->position);
        event_end(spool);
    }
    attempt_tell_errors(attempt, &attempt->findings.verification, true);
    result_event(execution, status, &outcome);
    spool_sync(spool);
    limits->complete += strcmp(status, "complete") == 0;
    if (attempt->failure.code && attempt->failure.ends_run)
        limits_end(limits, ENDING_FAILED, attempt->failure.code);
}

static struct execution *make_execution(struct executor *executor, const struct trial *trial)
{
    struct execution *execution;
    if (posix_memalign((void **)&execution, METER_LINE, sizeof *execution) != 0)
        abort(); /* static, because it has a few kilobytes */
    memset(execution, 0, sizeof *execution);
    execution->executor = executor;
    execution->attempt.workspace = &executor->workspace;
    execution->attempt.trial = trial;
    execution->attempt.state = executor->state;
    execution->attempt.findings = (struct findings){.unwritten = EXTENTS_UNSUPPORTED, .first_read_bytes = -1};
    execution->measurement = (struct measurement){
        .attempt = &execution->attempt,
        .job = executor->job,
        .instruments = &executor->instruments,
        .before = &execution->snapshots[0],
        .now = &execution->snapshots[1],
    };
    return execution;
}

/* The sampler, which is this thread, and the heartbeat run above the threads that they watch. */
static void measure_above_threads(struct execution *execution)
{
    const struct priority *priority = &execution->attempt.priority;
    const struct leader heartbeat = priority_lead(priority, execution->executor->instruments.heartbeat.thread);
    const struct leader sampler = priority_lead(priority, gettid());
    measure(&execution->measurement);
    priority_step_down(&sampler);
    priority_step_down(&heartbeat);
}

/* Executes one attempt; false if it was suspended or starved and does not count. */
static bool execute_attempt(struct executor *executor, const struct trial *trial)
{
    struct execution *execution = make_execution(executor, trial);
    struct limits *limits = &executor->workspace.limits;
    limits->shared_trial = executor->workspace.plan->barrier ? (int64_t)trial->position : -1;
    trial_event(execution);
    if (prepare(execution) && pass_barrier(execution))
        measure_above_threads(execution);
    limits->shared_trial = -1;
    conclude(execution);
    if (execution->measurement.hung)
        limits_abandon(limits, execution->measurement.hung, limits->hang_ms * NS_PER_MS);
    if (execution->attempt.started)
        measure_end(&execution->measurement);
    if (executor->job->follow_up && execution->attempt.started)
        executor->job->follow_up(&execution->attempt);
    buffers_free(&executor->workspace.buffers);
    executor->job->release(&execution->attempt);
    bool counts = execution->measurement.disturbance == UNDISTURBED;
    threadpool_free(&execution->attempt.pool);
    free(execution);
    return counts;
}

void trial_execute(struct executor *executor, struct trial *trial)
{
    /* with a barrier, all participants repeat together, which requires a new plan */
    const bool repeats = !executor->workspace.plan->barrier;
    while (!execute_attempt(executor, trial) && ++trial->disturbed < DISTURBED_MOST && repeats &&
           limits_hold(&executor->workspace.limits))
        trial->attempt++;
}
