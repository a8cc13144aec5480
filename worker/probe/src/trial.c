#include "trial.h"

#include "clock.h"
#include "measure.h"
#include "residency.h"
#include "settle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct execution {
    struct run *run;
    const struct trial *trial;
    size_t index;
    struct failure failure;
    struct test_file files[LANES_MOST];
    struct crew crew;
    bool crew_started;
    struct measurement measurement;
    struct snapshot snapshots[2];
    enum extents unwritten;
    uint64_t resident_checked, resident_pages; /* of a read, before it */
};

static void trial_event(struct run *run, const struct trial *trial)
{
    struct text *line = event_begin(&run->spool, "trial");
    json_uint(line, "trial", trial->id);
    json_uint(line, "attempt", trial->attempt);
    json_string(line, "kind", kind_names[trial->kind]);
    json_uint(line, "file_size", trial->file_size);
    json_uint(line, "file_size_asked", trial->file_size_asked);
    json_uint(line, "files", trial->files);
    json_uint(line, "threads", trial->threads);
    json_uint(line, "block", trial->block);
    json_string(line, "layout", layout_names[trial->layout]);
    json_string(line, "cache", cache_names[trial->cache]);
    json_string(line, "open", open_names[trial->open]);
    json_uint(line, "total_bytes", trial_bytes(trial));
    event_end(&run->spool);
}

static bool check_alignment(struct execution *execution)
{
    const struct trial *trial = execution->trial;
    uint32_t alignment = execution->run->alignment;
    if (trial->cache != CACHE_DIRECT)
        return true;
    if (alignment == 0)
        return fail(&execution->failure, "direct_refused", execution->run->alignment_error, false,
                    "the file system refuses O_DIRECT; choose cache=page here");
    if (trial->block % alignment == 0)
        return true;
    return fail(&execution->failure, "misaligned", 0, false,
                "block=%" PRIu64 " is no multiple of %" PRIu32 ", the alignment O_DIRECT needs here; choose one that is",
                trial->block, alignment);
}

/* What a read finds must come from the device: written extents, out of the page cache. */
static bool prepare_reading(struct execution *execution)
{
    const struct trial *trial = execution->trial;
    execution->unwritten = EXTENTS_NONE;
    for (uint64_t i = 0; i < trial->files; i++) {
        int file = execution->files[i].file;
        if (!errand_calls(execution->run, "fsync"))
            return false;
        if (!residency_drop(file))
            return fail_errno(&execution->failure, errno, "a test file cannot be synced before reading");
        if (!errand_calls(execution->run, "ioctl"))
            return false;
        enum extents found = residency_unwritten(file, trial->file_size);
        if (found == EXTENTS_FOUND)
            return execution->unwritten = found,
                   fail(&execution->failure, "unwritten_extents", 0, false,
                        "a test file has extents that were never written: reading them would measure no device");
        if (found == EXTENTS_UNSUPPORTED)
            execution->unwritten = found;
        residency_count(file, trial->file_size, &execution->resident_checked, &execution->resident_pages);
    }
    return true;
}

/* What an earlier trial left in the page cache would make this one faster than the first. */
static bool drop_overwritten(struct execution *execution)
{
    const struct trial *trial = execution->trial;
    uint64_t checked = 0, resident = 0;
    for (uint64_t i = 0; i < trial->files; i++) {
        int file = execution->files[i].file;
        if (!errand_calls(execution->run, "fsync"))
            return false;
        if (!residency_drop(file))
            return fail_errno(&execution->failure, errno, "a test file cannot be synced before overwriting");
        residency_count(file, trial->file_size, &checked, &resident);
    }
    if (resident == 0)
        return true;
    struct text *line = notice_begin(&execution->run->spool, "start_resident",
                                     "the file system kept files in memory that are overwritten now: trials do not "
                                     "begin alike");
    json_uint(line, "trial", trial->id);
    json_uint(line, "resident_pages", resident);
    json_uint(line, "resident_checked", checked);
    event_end(&execution->run->spool);
    return true;
}

/* Every trial of one kind begins alike; what cannot be made equal is reported. */
static void settle_removed(struct execution *execution)
{
    if (settle(execution->run))
        return;
    struct text *line = notice_begin(&execution->run->spool, "not_settled",
                                     "the device still discarded what an earlier trial removed when this one began");
    json_uint(line, "trial", execution->trial->id);
    event_end(&execution->run->spool);
}

static bool equal_start(struct run *run, void *argument)
{
    struct execution *execution = argument;
    const struct trial *trial = execution->trial;
    (void)run;
    if (trial->kind == KIND_READ)
        return prepare_reading(execution);
    return trial->layout != LAYOUT_OVERWRITE || drop_overwritten(execution);
}

static bool make_crew(struct execution *execution, const struct windows *windows)
{
    const struct trial *trial = execution->trial;
    struct crew *crew = &execution->crew;
    crew->block = trial->block;
    crew->reads = trial->kind == KIND_READ;
    crew->threaded = windows->threaded;
    crew->count = trial->threads;
    if (posix_memalign((void **)&crew->lanes, LINE, trial->threads * sizeof *crew->lanes) != 0)
        return fail_errno(&execution->failure, ENOMEM, "the lanes' counters cannot be allocated");
    memset(crew->lanes, 0, trial->threads * sizeof *crew->lanes);
    for (uint64_t i = 0; i < trial->threads; i++) {
        struct lane *lane = &crew->lanes[i];
        lane->file = &execution->files[i % trial->files];
        lane->blocks = (struct blocks){
            .file = lane->file,
            .pattern = &execution->run->pattern,
            .size = trial->block,
            .reads = crew->reads,
            .memory = execution->run->buffers.pools[i].data,
            .stride = windows->stride,
            .windows = windows->count,
        };
        lane->syncs = i < trial->files;
        lane->latency_min = UINT64_MAX;
        atomic_init(&lane->low, UINT64_MAX);
    }
    execution->crew_started = crew_start(crew);
    return execution->crew_started || fail_errno(&execution->failure, errno, "a thread cannot be started");
}

static bool prepare_buffers(struct execution *execution, struct windows *windows)
{
    struct run *run = execution->run;
    if (!buffers_prepare(&run->buffers, execution->trial, windows, &execution->failure))
        return false;
    if (windows->capped) {
        struct text *line = notice_begin(&run->spool, "buffers_capped",
                                         "the limit of buffers leaves each thread less memory than it should have");
        json_uint(line, "trial", execution->trial->id);
        json_uint(line, "bytes", windows->count * windows->stride);
        event_end(&run->spool);
    }
    return true;
}

static bool prepare_files(struct run *run, void *argument)
{
    struct execution *execution = argument;
    settle_removed(execution);
    return errand_calls(run, "stat") && target_holds(&run->target, &execution->failure) && check_alignment(execution) &&
           files_open(run, execution->index, execution->files, &execution->failure);
}

static bool prepare(struct execution *execution)
{
    struct run *run = execution->run;
    struct windows windows;
    uint64_t bytes = files_prepared_bytes(run, execution->index);
    bool good = errand_run(run, ERRAND_PREPARING, bytes, prepare_files, execution) &&
                prepare_buffers(execution, &windows) && errand_run(run, ERRAND_PREPARING, 0, equal_start, execution);
    if (execution->failure.error == EINTR && run->ending != ENDING_NONE)
        execution->failure = (struct failure){0}; /* the stop has interrupted a call: nothing failed */
    return good && run_goes_on(run) && make_crew(execution, &windows);
}

static bool close_files(struct run *run, void *argument)
{
    struct execution *execution = argument;
    files_close(run, execution->index, execution->files);
    return true;
}

struct outcome {
    uint64_t ops, latency_sum, latency_min, latency_max, first_done, last_done, data_ns;
    struct verification verification;
    bool timed_out;
    uint64_t first_read; /* bytes of a read trial */
    uint64_t histogram[HISTOGRAM_STEPS];
};

static void gather(const struct execution *execution, struct outcome *outcome)
{
    const struct crew *crew = &execution->crew;
    *outcome = (struct outcome){.latency_min = UINT64_MAX, .first_done = UINT64_MAX};
    for (uint64_t i = 0; execution->crew_started && i < crew->count; i++) {
        const struct lane *lane = &crew->lanes[i];
        struct tally tally = lane_tally(lane);
        verification_add(&outcome->verification, &lane->blocks.found);
        uint64_t done = lane_last_end(lane) - crew->started_ns;
        if (tally.ops == 0)
            continue; /* it came too late for any block: when it ended says nothing of the storage */
        outcome->ops += tally.ops;
        outcome->latency_sum += tally.latency_sum;
        outcome->latency_min = lane->latency_min < outcome->latency_min ? lane->latency_min : outcome->latency_min;
        outcome->latency_max = lane->latency_max > outcome->latency_max ? lane->latency_max : outcome->latency_max;
        outcome->first_done = done < outcome->first_done ? done : outcome->first_done;
        outcome->last_done = done > outcome->last_done ? done : outcome->last_done;
        outcome->data_ns += lane->data_ns;
        outcome->timed_out |= lane->timed_out;
        for (int step = 0; step < HISTOGRAM_STEPS; step++)
            outcome->histogram[step] += lane->histogram[step];
    }
}

/* Blocks of a file are dealt out from its beginning on, so what was read of it is its head. */
static uint64_t first_read(const struct execution *execution)
{
    uint64_t bytes[LANES_MOST] = {0};
    const struct trial *trial = execution->trial;
    for (uint64_t i = 0; execution->crew_started && i < trial->threads; i++)
        bytes[i % trial->files] += lane_tally(&execution->crew.lanes[i]).ops * trial->block;
    return files_first_read(execution->run, execution->index, bytes);
}

static const char *status_of(const struct execution *execution, const struct outcome *outcome)
{
    const struct trial *trial = execution->trial;
    if (execution->failure.code)
        return "failed";
    const struct measurement *measurement = &execution->measurement;
    if (measurement->disturbance != UNDISTURBED)
        return disturbance_names[measurement->disturbance];
    bool synced = trial->kind == KIND_READ || measurement->sync != SYNC_NONE;
    bool late = outcome->timed_out || measurement->interrupts;
    if (late && measurement->hung && measurement->stopped_ns == 0)
        return "timed_out";
    if (late && measurement->whole && synced)
        return "timed_out"; /* also when the operation that passed the limit was the last one */
    if (execution->crew_started && outcome->ops * trial->block == trial_bytes(trial) && synced)
        return "complete";
    return "stopped";
}

static void result_latencies(struct text *line, const struct outcome *outcome)
{
    json_known(line, "lat_min_ns", outcome->ops ? (int64_t)outcome->latency_min : -1);
    json_known(line, "lat_max_ns", outcome->ops ? (int64_t)outcome->latency_max : -1);
    json_uint(line, "lat_sum_ns", outcome->latency_sum);
    json_open(line, "hist", '[');
    for (int step = 0; step < HISTOGRAM_STEPS; step++) {
        if (outcome->histogram[step] == 0)
            continue;
        json_open(line, NULL, '[');
        json_int(line, NULL, step);
        json_uint(line, NULL, outcome->histogram[step]);
        json_close(line, ']');
    }
    json_close(line, ']');
}

static uint64_t device_moved(const struct execution *execution, const struct device_bytes *now)
{
    const struct device_bytes *start = &execution->measurement.device_start;
    return execution->trial->kind == KIND_READ ? now->read - start->read : now->written - start->written;
}

static void result_evidence(struct text *line, const struct execution *execution)
{
    const struct measurement *measurement = &execution->measurement;
    const bool reads = execution->trial->kind == KIND_READ;
    devcounter_check(&execution->run->target.counter);
    devcounter_field(line, &execution->run->target.counter);
    json_known(line, "dev_app_bytes",
               measurement->has_device ? (int64_t)device_moved(execution, &measurement->device_app) : -1);
    json_known(line, "dev_durable_bytes",
               measurement->has_device ? (int64_t)device_moved(execution, &measurement->device_durable) : -1);
    json_uint(line, "resident_checked", reads ? execution->resident_checked : measurement->resident_checked);
    json_uint(line, "resident_pages", reads ? execution->resident_pages : measurement->resident_pages);
    json_uint(line, "resident_after_checked", reads ? measurement->resident_checked : 0);
    json_uint(line, "resident_after_pages", reads ? measurement->resident_pages : 0);
    json_string(line, "unwritten", extents_names[execution->unwritten]);
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

static void result_event(struct execution *execution, const char *status, const struct outcome *outcome)
{
    const struct measurement *measurement = &execution->measurement;
    const struct trial *trial = execution->trial;
    struct spool *spool = &execution->run->spool;
    uint64_t started = execution->crew.started_ns;
    struct text *line = event_begin(spool, "result");
    json_uint(line, "trial", trial->id);
    json_uint(line, "attempt", trial->attempt);
    json_string(line, "status", status);
    json_string(line, "reason", execution->failure.code);
    json_known(line, "started_ns", started ? (int64_t)(started - spool->started) : -1);
    json_uint(line, "ops", outcome->ops);
    json_uint(line, "bytes", outcome->ops * trial->block);
    json_uint(line, "app_ns", measurement->app_ns);
    json_known(line, "durable_ns", measurement->sync == SYNC_NONE ? -1 : (int64_t)measurement->durable_ns);
    json_string(line, "sync", sync_names[measurement->sync]);
    json_uint(line, "first_done_ns", outcome->first_done == UINT64_MAX ? 0 : outcome->first_done);
    json_uint(line, "last_done_ns", outcome->last_done);
    result_latencies(line, outcome);
    result_evidence(line, execution);
    result_disturbance(line, measurement);
    json_uint(line, "data_ns", outcome->data_ns);
    json_uint(line, "verify_errors", verification_errors(&outcome->verification));
    json_known(line, "first_read_bytes", trial->kind == KIND_READ ? (int64_t)outcome->first_read : -1);
    json_uint(line, "working_set_bytes", trial_bytes(trial));
    json_uint(line, "mem_limit_bytes", execution->run->mem_limit);
    contention_field(line, &execution->measurement.contention);
    event_end(spool);
}

static void verification_notice(struct execution *execution, const struct verification *found)
{
    struct text *line = notice_begin(&execution->run->spool, "verification_failed",
                                     "the storage returned other data than was written");
    json_uint(line, "trial", execution->trial->id);
    json_uint(line, "corrupt", found->corrupt);
    json_uint(line, "stale", found->stale);
    json_uint(line, "misplaced", found->misplaced);
    json_uint(line, "first_offset_bytes", found->first);
    event_end(&execution->run->spool);
}

static void conclude(struct execution *execution)
{
    struct run *run = execution->run;
    static struct outcome outcome; /* 18 kB; one trial at a time */
    gather(execution, &outcome);
    if (execution->trial->kind == KIND_READ)
        outcome.first_read = first_read(execution);
    const char *status = status_of(execution, &outcome);
    if (execution->failure.code)
        failure_event(&run->spool, &execution->failure, (int64_t)execution->trial->id);
    if (execution->measurement.sync == SYNC_BOUNDED) {
        struct text *line = notice_begin(&run->spool, "sync_bounded",
                                         "the final sync took longer than its limit: the durable rate is a bound");
        json_uint(line, "trial", execution->trial->id);
        event_end(&run->spool);
    }
    if (verification_errors(&outcome.verification) > 0)
        verification_notice(execution, &outcome.verification);
    result_event(execution, status, &outcome);
    spool_sync(&run->spool);
    run->complete += strcmp(status, "complete") == 0;
    if (execution->failure.code && execution->failure.ends_run && run->ending == ENDING_NONE) {
        run->ending = ENDING_FAILED;
        run->ending_reason = execution->failure.code;
    }
}

/* One attempt; false when it was disturbed and does not count. */
static bool attempt(struct run *run, size_t index)
{
    struct execution *execution;
    const struct trial *trial = &run->plan.trials[index];
    trial_event(run, trial);
    if (posix_memalign((void **)&execution, LINE, sizeof *execution) != 0)
        abort(); /* half a megabyte */
    memset(execution, 0, sizeof *execution);
    execution->run = run;
    execution->trial = trial;
    execution->index = index;
    execution->unwritten = EXTENTS_UNSUPPORTED;
    for (uint64_t i = 0; i < trial->files; i++)
        execution->files[i].file = -1;
    execution->measurement = (struct measurement){
        .run = run,
        .trial = trial,
        .crew = &execution->crew,
        .files = execution->files,
        .failure = &execution->failure,
        .before = &execution->snapshots[0],
        .now = &execution->snapshots[1],
    };
    if (prepare(execution))
        measure(&execution->measurement);
    conclude(execution);
    if (execution->measurement.hung)
        run_abandon(run, execution->measurement.hung, run->plan.hang_ms * NS_PER_MS);
    if (execution->crew_started)
        measure_end(&execution->measurement);
    buffers_free(&run->buffers);
    errand_run(run, ERRAND_REMOVING, 0, close_files, execution);
    bool counts = execution->measurement.disturbance == UNDISTURBED;
    free(execution->crew.lanes);
    free(execution);
    return counts;
}

void trial_execute(struct run *run, size_t index)
{
    struct trial *trial = &run->plan.trials[index];
    while (!attempt(run, index) && ++trial->disturbed < DISTURBED_MOST && run_goes_on(run))
        trial->attempt++;
}
