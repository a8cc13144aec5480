#include "run.h"

#include "cgroup.h"
#include "clock.h"
#include "columns.h"
#include "conditions.h"
#include "host.h"
#include "residency.h"
#include "version.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void say_hello(struct run *run, uint64_t segment)
{
    struct workspace *workspace = &run->executor.workspace;
    const struct target *target = &workspace->target;
    static const char *const columns[] = COLUMN_NAMES;
    struct text *line = event_begin(&run->spool, "hello");
    json_uint(line, "segment", segment);
    json_uint(line, "generation", run->plan.generation);
    json_string(line, "job", run->plan.job);
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
    json_uint(line, "mem_limit_bytes", workspace->mem_limit);
    json_string(line, "target", run->plan.targets[0].path);
    json_string(line, "role", run->plan.role ? run->plan.role : run->plan.targets[0].role);
    json_string(line, "fs_type", target->fs_type[0] ? target->fs_type : NULL);
    json_string(line, "fs_source", target->fs_source[0] ? target->fs_source : NULL);
    json_string(line, "fs_uuid", target->fs_uuid[0] ? target->fs_uuid : NULL);
    json_string(line, "device", target->device[0] ? target->device : NULL);
    devcounter_field(line, &target->counter);
    json_known(line, "alignment_bytes", workspace->alignment ? (int64_t)workspace->alignment : -1);
    json_string(line, "workdir", workspace->workdir.dir >= 0 ? workspace->workdir.name : NULL);
    json_string(line, "files", workspace->unnamed ? "unnamed" : "named");
    json_open(line, "columns", '[');
    for (int i = 0; i < COLUMN_COUNT; i++)
        json_string(line, NULL, columns[i]);
    json_close(line, ']');
    event_end(&run->spool);
}

/* Every Linux has these files; without them samples would report false zeros. */
static bool open_host(struct run *run, struct failure *failure)
{
    struct workspace *workspace = &run->executor.workspace;
    struct instruments *instruments = &run->executor.instruments;
    struct buffers *buffers = &workspace->buffers;
    if (!counters_open(&instruments->counters, &workspace->target.counter, workspace->target.dir, run->plan.sample_ms * NS_PER_MS))
        return fail(failure, "system", errno, true,
                    "the host's counters, or the target's free space, cannot be read: %s", strerror(errno));
    if (!heartbeat_start(&instruments->heartbeat))
        return fail(failure, "system", errno, true, "the heartbeat's thread cannot be started: %s", strerror(errno));
    workspace->standstill = &instruments->heartbeat.standstill;
    uint64_t room = cgroup_mem_room();
    buffers->limit = run->plan.max_buffer_bytes ? run->plan.max_buffer_bytes : room / 10;
    buffers->limit = buffers->limit < room / 2 ? buffers->limit : room / 2;
    return buffers->limit > 0 ||
           fail(failure, "system", errno, true, "the host's available memory cannot be read: %s", strerror(errno));
}

/* The limit of the event log: that of the plan, and at most half of the free space of its file
 * system. */
static void limit_spool(struct run *run)
{
    uint64_t free_bytes = 0;
    run->spool.bytes = spool_size(&run->spool);
    run->spool.limit = run->plan.spool_bytes;
    if (counters_free_space(run->rundir, &free_bytes) && run->spool.bytes + free_bytes / 2 < run->spool.limit)
        run->spool.limit = run->spool.bytes + free_bytes / 2;
}

static bool remove_all(void *argument)
{
    struct run *run = argument;
    struct executor *executor = &run->executor;
    struct errand *errand = &executor->workspace.errand;
    uint64_t bytes = 0;
    if (executor->state)
        executor->job->clear(executor->state);
    errand_calls(errand, "rmdir");
    bool removed = workdir_remove(&executor->workspace.workdir, &bytes);
    errand_calls(errand, "unlink");
    locks_release(&run->locks, run->rundir); /* before `end`: its reader may start the next run */
    return removed;
}

/* Ends the run. Files go first, so that a sensor that does not answer leaves none behind. */
static void clean(struct run *run, bool began)
{
    struct executor *executor = &run->executor;
    bool cleaned = errand_run(&executor->workspace.errand, ERRAND_REMOVING, 0, remove_all, run);
    if (began)
        conditions_report(&executor->workspace, "end");
    buffers_free(&executor->workspace.buffers);
    if (executor->state)
        executor->job->end(executor->state);
    limits_say_end(&executor->workspace.limits, cleaned);
}

static void prepare_workspace(struct run *run)
{
    struct workspace *workspace = &run->executor.workspace;
    workspace->plan = &run->plan;
    workspace->spool = &run->spool;
    workspace->mem_limit = cgroup_mem_limit();
    workspace->workdir.dir = -1;
    workspace->errand.limits = &workspace->limits;
    workspace->limits = (struct limits){
        .rundir = run->rundir,
        .spool = &run->spool,
        .counters = &run->executor.instruments.counters,
        .dir = -1,
        .shared_trial = -1,
        .reserve_bytes = run->plan.targets[0].reserve_bytes,
        .hang_ms = run->plan.hang_ms,
    };
}

static bool open_target(struct run *run, struct failure *failure)
{
    const struct plan_target *planned = &run->plan.targets[0];
    struct workspace *workspace = &run->executor.workspace;
    struct workdir *workdir = &workspace->workdir;
    if (run->plan.target_count == 0) { /* memory */
        target_none(&workspace->target);
        workspace->unnamed = true;
        return true;
    }
    if (!target_open(&workspace->target, planned, failure))
        return false;
    if (!workdir_make(workdir, run->rundir, workspace->target.dir, planned->path, run->plan.run))
        return fail_errno(failure, errno, "the test directory cannot be created in the target");
    workdir->errand = &workspace->errand;
    workspace->limits.dir = workdir->dir;
    workdir_announce(workdir, ALIGNMENT_FILE);
    workspace->alignment = residency_alignment(workdir->dir);
    workspace->alignment_error = workspace->alignment ? 0 : errno;
    workspace->unnamed = workdir_keeps_unnamed(workdir, workspace->target.fs_type);
    return true;
}

static void note_conditions(struct run *run, bool good)
{
    if (run->locks.missing[0]) {
        notice_begin(&run->spool, "not_locked", run->locks.missing);
        event_end(&run->spool);
    }
    if (good && !run->executor.workspace.unnamed) {
        notice_begin(&run->spool, "files_named",
                     "test files have names here, because this file system may treat unnamed ones differently: a killed probe "
                     "leaves its files until the next contact removes them");
        event_end(&run->spool);
    }
}

bool run_begin(struct run *run, const struct job *job, uint64_t segment)
{
    struct executor *executor = &run->executor;
    struct workdir *workdir = &executor->workspace.workdir;
    struct failure failure = {0};
    limits_take_signals();
    run->spool.started = clock_mono();
    pthread_mutex_init(&run->spool.mutex, NULL);
    limit_spool(run);
    executor->job = job;
    prepare_workspace(run);
    bool good = open_target(run, &failure) && open_host(run, &failure) &&
                job->begin(&executor->workspace, &executor->state, &failure);
    locks_adopt(&run->locks, workdir->dir >= 0 ? workdir->name : NULL);
    say_hello(run, segment);
    note_conditions(run, good);
    if (good) {
        conditions_report(&executor->workspace, "start");
        return true;
    }
    failure_event(&run->spool, &failure, -1);
    limits_end(&executor->workspace.limits, ENDING_FAILED, failure.code);
    clean(run, false);
    return false;
}

void run_trials(struct run *run)
{
    struct executor *executor = &run->executor;
    for (size_t i = 0; i < run->plan.count && limits_hold(&executor->workspace.limits); i++)
        trial_execute(executor, plan_trial(&run->plan, i));
    clean(run, true);
    processes_free(&executor->instruments.processes);
    counters_close(&executor->instruments.counters);
}
