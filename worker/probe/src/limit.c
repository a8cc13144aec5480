#include "limit.h"

#include "host.h"
#include "rundir.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#define LOW_MEMORY (64ull << 20)

static volatile sig_atomic_t signalled;

static void on_end_signal(int number)
{
    signalled = number;
}

static void on_interrupt(int number)
{
    (void)number; /* its delivery ends a wait in the kernel; it has no other effect */
}

void limits_take_signals(void)
{
    struct sigaction ends = {.sa_handler = on_end_signal}, interrupts = {.sa_handler = on_interrupt};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGUSR1, &interrupts, NULL);
    sigaction(SIGHUP, &ignored, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
    sigaction(SIGXFSZ, &ignored, NULL); /* exceeding the file size limit returns EFBIG instead of
                                         * killing the process */
}

void limits_end(struct limits *limits, enum ending ending, const char *reason)
{
    if (limits->ending != ENDING_NONE)
        return;
    limits->ending = ending;
    limits->ending_reason = reason;
}

bool limits_aborted(const struct limits *limits)
{
    uint64_t at;
    return limits->shared_trial >= 0 &&
           rundir_released(limits->rundir, (uint64_t)limits->shared_trial, &at) == RELEASE_ABORT;
}

static void end_with_full_spool(struct limits *limits)
{
    struct failure failure = {0};
    fail(&failure, "spool_full", 0, true,
         "the event log has reached its limit of %" PRIu64 " bytes; sample less often, plan fewer trials, or free space in "
         "the probe's home",
         limits->spool->limit);
    failure_event(limits->spool, &failure, -1);
    limits_end(limits, ENDING_FAILED, failure.code);
}

bool limits_hold(struct limits *limits)
{
    uint64_t now = clock_mono();
    if (limits->ending != ENDING_NONE)
        return false;
    if (now < limits->next_check)
        return true;
    limits->next_check = now + CHECK_NS;
    if (signalled)
        limits_end(limits, ENDING_STOPPED, "signal");
    else if (rundir_stop_asked(limits->rundir))
        limits_end(limits, ENDING_STOPPED, "asked");
    else if (rundir_watch_passed(limits->rundir))
        limits_end(limits, ENDING_DEADLINE, "unwatched");
    else if (limits->spool->failed)
        limits_end(limits, ENDING_FAILED, "system");
    else if (limits->spool->bytes >= limits->spool->limit)
        end_with_full_spool(limits);
    return limits->ending == ENDING_NONE;
}

bool limits_space(const struct limits *limits, uint64_t bytes, struct failure *failure)
{
    uint64_t free_bytes = atomic_load(&limits->counters->free_bytes);
    int error = atomic_load(&limits->counters->free_error);
    if (bytes > 0)
        error = counters_free_space(limits->dir, &free_bytes) ? 0 : errno;
    if (error)
        return fail_errno(failure, error, "the target's free space cannot be determined");
    if (free_bytes >= limits->reserve_bytes && free_bytes - limits->reserve_bytes >= bytes)
        return true;
    return fail(failure, "no_space", ENOSPC, true,
                "%" PRIu64 " bytes are free, %" PRIu64 " more are to be written and a reserve of %" PRIu64
                " must remain; free space or make the files smaller",
                free_bytes, bytes, limits->reserve_bytes);
}

bool limits_memory(struct failure *failure)
{
    uint64_t available = host_mem_available();
    return available == 0 || available >= LOW_MEMORY ||
           fail(failure, "memory", 0, true, "only %" PRIu64 " bytes of the host's memory are available; the run ends to spare it",
                available);
}

void limits_say_end(struct limits *limits, bool cleaned)
{
    static const char *const names[] = {"done", "stopped", "deadline", "failed"};
    struct text *line = event_begin(limits->spool, "end");
    json_string(line, "status", names[limits->ending]);
    json_string(line, "reason", limits->ending_reason);
    json_bool(line, "cleaned", cleaned);
    json_uint(line, "trials_complete", limits->complete);
    event_end(limits->spool);
    spool_sync(limits->spool);
}

void limits_abandon(struct limits *limits, const char *call, uint64_t waited_ns)
{
    struct failure failure = {0};
    fail(&failure, "hung", 0, true,
         "%s has been in the kernel for %" PRIu64 " s and was abandoned; check the storage and the kernel's log", call,
         (uint64_t)(waited_ns / NS_PER_S));
    failure_event(limits->spool, &failure, -1);
    limits_end(limits, ENDING_FAILED, failure.code);
    limits_say_end(limits, false);
    _exit(0); /* do not close descriptors: that could hang too */
}
