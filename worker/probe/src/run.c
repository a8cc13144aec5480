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
    return run->ending == ENDING_NONE;
}

bool run_has_space(const struct run *run, uint64_t bytes, struct failure *failure)
{
    uint64_t free_bytes = atomic_load(&run->counters.free_bytes);
    if (bytes > 0)
        counters_free_space(run->workdir.dir, &free_bytes);
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
    json_uint(line, "mem_total", host_mem_total());
    json_uint(line, "mem_limit", run->mem_limit);
    json_string(line, "target", run->plan.target);
    json_string(line, "fs_type", run->target.fs_type[0] ? run->target.fs_type : NULL);
    json_string(line, "fs_source", run->target.fs_source[0] ? run->target.fs_source : NULL);
    json_string(line, "fs_uuid", run->target.fs_uuid[0] ? run->target.fs_uuid : NULL);
    json_string(line, "device", run->target.device[0] ? run->target.device : NULL);
    json_known(line, "alignment", run->alignment ? (int64_t)run->alignment : -1);
    json_string(line, "workdir", run->workdir.dir >= 0 ? run->workdir.name : NULL);
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
    if (!counters_open(&run->counters, run->target.device, run->target.dir, run->plan.sample_ms * NS_PER_MS))
        return fail(failure, "system", errno, true, "the host's counters in /proc can not be opened: %s", strerror(errno));
    uint64_t available = host_mem_available();
    run->buffers.limit = run->plan.max_buffer_bytes ? run->plan.max_buffer_bytes : available / 10;
    return run->buffers.limit > 0 ||
           fail(failure, "system", errno, true, "the host's available memory can not be read: %s", strerror(errno));
}

static void clean(struct run *run)
{
    uint64_t bytes = 0;
    bool cleaned = workdir_remove(&run->workdir, run->rundir, &bytes);
    buffers_free(&run->buffers);
    filesets_free(&run->sets);
    say_end(run, cleaned);
}

bool run_begin(struct run *run, uint64_t segment)
{
    struct failure failure = {0};
    handle_signals();
    run->spool.started = clock_mono();
    run->mem_limit = host_mem_limit();
    run->workdir.dir = -1;
    bool good = target_open(&run->target, &run->plan, &failure);
    if (good && !workdir_make(&run->workdir, run->rundir, run->target.dir, run->plan.target, run->plan.run))
        good = fail_errno(&failure, errno, "the test directory can not be made in the target");
    if (good) {
        run->alignment = residency_alignment(run->workdir.dir);
        run->alignment_error = run->alignment ? 0 : errno;
        good = open_host(run, &failure);
        if (good && !filesets_plan(&run->sets, &run->plan))
            good = fail_errno(&failure, ENOMEM, "the plan's file sets can not be allocated");
    }
    say_hello(run, segment);
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
    counters_close(&run->counters);
}
