#include "run.h"

#include "clock.h"
#include "columns.h"
#include "host.h"
#include "residency.h"
#include "rundir.h"
#include "trial.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;

static void on_end_signal(int number)
{
    signalled = number;
}

static void on_interrupt(int number)
{
    (void)number; /* its arrival ends a wait in the kernel; nothing else is meant */
}

static void handle_signals(void)
{
    struct sigaction ends = {.sa_handler = on_end_signal}, interrupts = {.sa_handler = on_interrupt};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGUSR1, &interrupts, NULL);
    sigaction(SIGHUP, &ignored, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
    sigaction(SIGXFSZ, &ignored, NULL); /* a file size limit is EFBIG, not a death */
}

static void end_run(struct run *run, enum ending ending, const char *reason)
{
    if (run->ending != ENDING_NONE)
        return;
    run->ending = ending;
    run->ending_reason = reason;
    run->ending_ns = clock_mono();
}

static void end_with_full_spool(struct run *run)
{
    struct failure failure = {0};
    fail(&failure, "spool_full", 0, true,
         "the event log has reached its limit of %" PRIu64 " bytes; sample less often, plan fewer trials, or free space in "
         "the probe's home",
         run->spool.limit);
    failure_event(&run->spool, &failure, -1);
    end_run(run, ENDING_FAILED, failure.code);
}

bool run_goes_on(struct run *run)
{
    uint64_t now = clock_mono();
    if (run->ending != ENDING_NONE)
        return false;
    if (now < run->next_check)
        return true;
    run->next_check = now + CHECK_NS;
    if (signalled)
        end_run(run, ENDING_STOPPED, "signal");
    else if (rundir_stop_asked(run->rundir))
        end_run(run, ENDING_STOPPED, "asked");
    else if (rundir_watch_passed(run->rundir))
        end_run(run, ENDING_DEADLINE, "unwatched");
    else if (run->spool.failed)
        end_run(run, ENDING_FAILED, "system");
    else if (run->spool.bytes >= run->spool.limit)
        end_with_full_spool(run);
    return run->ending == ENDING_NONE;
}

bool run_has_space(const struct run *run, uint64_t bytes, struct failure *failure)
{
    uint64_t free_bytes = atomic_load(&run->counters.free_bytes);
    int error = atomic_load(&run->counters.free_error);
    if (bytes > 0)
        error = counters_free_space(run->workdir.dir, &free_bytes) ? 0 : errno;
    if (error)
        return fail_errno(failure, error, "the target's free space cannot be determined");
    if (free_bytes >= run->plan.reserve_bytes && free_bytes - run->plan.reserve_bytes >= bytes)
        return true;
    return fail(failure, "no_space", ENOSPC, true,
                "%" PRIu64 " bytes are free, %" PRIu64 " more are to be written and a reserve of %" PRIu64
                " must stay; free space or make the files smaller",
                free_bytes, bytes, run->plan.reserve_bytes);
}

static void say_hello(struct run *run, uint64_t segment)
{
    static const char *const columns[] = COLUMN_NAMES;
    struct text *line = event_begin(&run->spool, "hello");
    json_uint(line, "segment", segment);
    json_uint(line, "generation", run->plan.generation);
    json_string(line, "run", run->plan.run);
    json_string(line, "probe", PROBE_VERSION);
    json_int(line, "contract", CONTRACT_VERSION);
    json_int(line, "pid", getpid());
    json_uint(line, "wall_ns", clock_read(CLOCK_REALTIME));
    json_uint(line, "mono_ns", run->spool.started);
    host_identity(line);
    json_int(line, "ncpu", host_cpus());
    json_uint(line, "cpu_tick_ns", host_tick_ns());
    host_clocksource(line);
    json_uint(line, "mem_total_bytes", host_mem_total());
    json_uint(line, "mem_limit_bytes", run->mem_limit);
    json_string(line, "target", run->plan.target);
    json_string(line, "fs_type", run->target.fs_type[0] ? run->target.fs_type : NULL);
    json_string(line, "fs_source", run->target.fs_source[0] ? run->target.fs_source : NULL);
    json_string(line, "fs_uuid", run->target.fs_uuid[0] ? run->target.fs_uuid : NULL);
    json_string(line, "device", run->target.device[0] ? run->target.device : NULL);
    devcounter_field(line, &run->target.counter);
    json_known(line, "alignment_bytes", run->alignment ? (int64_t)run->alignment : -1);
    json_string(line, "workdir", run->workdir.dir >= 0 ? run->workdir.name : NULL);
    json_string(line, "files", run->unnamed ? "unnamed" : "named");
    json_open(line, "columns", '[');
    for (int i = 0; i < COLUMN_COUNT; i++)
        json_string(line, NULL, columns[i]);
    json_close(line, ']');
    event_end(&run->spool);
}

static void say_end(struct run *run, bool cleaned)
{
    static const char *const names[] = {"done", "stopped", "deadline", "failed"};
    struct text *line = event_begin(&run->spool, "end");
    json_string(line, "status", names[run->ending]);
    json_string(line, "reason", run->ending_reason);
    json_bool(line, "cleaned", cleaned);
    json_uint(line, "trials_complete", run->complete);
    event_end(&run->spool);
    spool_sync(&run->spool);
}

/* What every Linux tells of itself: without it samples would have zeros for figures. */
static bool open_host(struct run *run, struct failure *failure)
{
    if (!counters_open(&run->counters, &run->target.counter, run->target.dir, run->plan.sample_ms * NS_PER_MS))
        return fail(failure, "system", errno, true,
                    "the host's counters, or the target's free space, cannot be read: %s", strerror(errno));
    if (!heartbeat_start(&run->heartbeat))
        return fail(failure, "system", errno, true, "the heartbeat's thread cannot be started: %s", strerror(errno));
    uint64_t room = host_mem_room();
    run->buffers.limit = run->plan.max_buffer_bytes ? run->plan.max_buffer_bytes : room / 10;
    run->buffers.limit = run->buffers.limit < room / 2 ? run->buffers.limit : room / 2;
    return run->buffers.limit > 0 ||
           fail(failure, "system", errno, true, "the host's available memory cannot be read: %s", strerror(errno));
}

void run_progress(struct run *run, const char *doing, const char *call, uint64_t bytes, uint64_t total)
{
    struct text *line = event_begin(&run->spool, "progress");
    json_string(line, "doing", doing);
    json_string(line, "call", call);
    json_uint(line, "bytes", bytes);
    json_uint(line, "total_bytes", total);
    event_end(&run->spool);
}

void run_abandon(struct run *run, const char *call, uint64_t waited_ns)
{
    struct failure failure = {0};
    fail(&failure, "hung", 0, true,
         "%s has been in the kernel for %" PRIu64 " s and was given up; look at the storage and the kernel's log", call,
         (uint64_t)(waited_ns / NS_PER_S));
    failure_event(&run->spool, &failure, -1);
    end_run(run, ENDING_FAILED, failure.code);
    say_end(run, false);
    _exit(0); /* no descriptor is closed by hand: that could hang too */
}

/* The event log's limit: the plan's, and at most half of what is free where it lies. */
static void limit_spool(struct run *run)
{
    uint64_t free_bytes = 0;
    run->spool.bytes = spool_size(&run->spool);
    run->spool.limit = run->plan.spool_bytes;
    if (counters_free_space(run->rundir, &free_bytes) && run->spool.bytes + free_bytes / 2 < run->spool.limit)
        run->spool.limit = run->spool.bytes + free_bytes / 2;
}

static bool remove_all(struct run *run, void *unused)
{
    (void)unused;
    uint64_t bytes = 0;
    filesets_remove(run);
    errand_calls(run, "rmdir");
    bool removed = workdir_remove(&run->workdir, &bytes);
    errand_calls(run, "unlink");
    locks_release(&run->locks, run->rundir); /* before `end`: a reader of that may start the next run */
    return removed;
}

static void clean(struct run *run)
{
    bool cleaned = errand_run(run, ERRAND_REMOVING, 0, remove_all, NULL);
    buffers_free(&run->buffers);
    pattern_free(&run->pattern);
    filesets_free(&run->sets);
    say_end(run, cleaned);
}

bool run_begin(struct run *run, uint64_t segment)
{
    struct failure failure = {0};
    handle_signals();
    run->spool.started = clock_mono();
    pthread_mutex_init(&run->spool.mutex, NULL);
    limit_spool(run);
    run->mem_limit = host_mem_limit();
    run->workdir.dir = -1;
    bool good = target_open(&run->target, &run->plan, &failure);
    if (good && !workdir_make(&run->workdir, run->rundir, run->target.dir, run->plan.target, run->plan.run))
        good = fail_errno(&failure, errno, "the test directory cannot be made in the target");
    if (good) {
        run->workdir.run = run;
        workdir_announce(&run->workdir, ALIGNMENT_FILE);
        run->alignment = residency_alignment(run->workdir.dir);
        run->alignment_error = run->alignment ? 0 : errno;
        run->unnamed = workdir_keeps_unnamed(&run->workdir, run->target.fs_type);
        good = open_host(run, &failure);
        run->identity = testdata_run(run->plan.run);
        if (good && !pattern_make(&run->pattern, run->plan.pool_bytes))
            good = fail_errno(&failure, errno, "the test data's pool cannot be allocated");
        if (good && !filesets_plan(&run->sets, &run->plan))
            good = fail_errno(&failure, ENOMEM, "the plan's file sets cannot be allocated");
    }
    locks_adopt(&run->locks, run->workdir.dir >= 0 ? run->workdir.name : NULL);
    say_hello(run, segment);
    if (run->locks.missing[0]) {
        notice_begin(&run->spool, "not_locked", run->locks.missing);
        event_end(&run->spool);
    }
    if (good && !run->unnamed) {
        notice_begin(&run->spool, "files_named",
                     "test files have names here, because this file system may treat unnamed ones differently: a killed probe "
                     "leaves its files until the next contact removes them");
        event_end(&run->spool);
    }
    if (good)
        return true;
    failure_event(&run->spool, &failure, -1);
    end_run(run, ENDING_FAILED, failure.code);
    clean(run);
    return false;
}

void run_trials(struct run *run)
{
    for (size_t i = 0; i < run->plan.count && run_goes_on(run); i++)
        trial_execute(run, i);
    clean(run);
    processes_free(&run->processes);
    counters_close(&run->counters);
}
