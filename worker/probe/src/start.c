/* start: read a plan, take the run lock, detach, and measure. The lock is taken before the forks
 * and inherited, so the lock of an active run is never free. The parent reports only after the
 * daemon has written `hello`. A run that ended, or whose probe died, continues in a new segment
 * of the spool with the trials that its plan still contains. */
#include "clock.h"
#include "jobs.h"
#include "plan.h"
#include "run.h"
#include "rundir.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDING_WAIT_NS (5 * NS_PER_S)

static int answer(const char *state, uint64_t segment, uint64_t offset)
{
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_string(&text, "state", state);
    json_uint(&text, "segment", segment);
    json_uint(&text, "offset", offset);
    json_close(&text, '}');
    return print_document(&text);
}

/* What an earlier attempt measured counts if it was interrupted or stopped; the worker may know
 * more, because a power failure can cost the end of the spool. */
static void add_done(const struct seen_attempt *seen, struct trial *trial)
{
    if (seen->disturbed || seen->done_bytes <= trial->done_bytes)
        return;
    trial->done_bytes = seen->done_bytes;
    trial->done_ns = seen->done_ns;
}

/* Finds the attempt of a trial to run now; false if there is none. An attempt with a result is
 * final, unless it was suspended or starved and may be repeated; one without a result was
 * interrupted. Either is repeated, or continued, under the next number. */
static bool find_attempt(const struct spool_state *state, struct trial *trial)
{
    uint64_t asked = trial->attempt;
    for (size_t i = 0; i < state->seen_count; i++) {
        const struct seen_attempt *seen = &state->seen[i];
        if (seen->trial != trial->position)
            continue;
        trial->disturbed += seen->disturbed;
        add_done(seen, trial);
        if (seen->attempt < asked)
            continue;
        if (seen->has_result && !seen->disturbed)
            return false;
        trial->attempt = seen->attempt >= trial->attempt ? seen->attempt + 1 : trial->attempt;
    }
    return trial->disturbed < DISTURBED_MOST;
}

static void keep_what_lacks(struct plan *plan, const struct spool_state *state)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct trial *trial = plan_trial(plan, i);
        bool lacks = find_attempt(state, trial);
        if (plan->barrier || !plan->type->resume) /* several participants start anew together */
            trial->done_bytes = trial->done_ns = 0;
        else if (lacks && trial->done_bytes)
            plan->type->resume(trial);
        if (lacks)
            memmove(plan_trial(plan, kept++), trial, plan->type->size);
    }
    plan->count = kept;
}

static bool is_done(const struct plan *plan, const struct spool_state *state)
{
    if (state->end_status[0] == '\0')
        return false;
    /* A stop is final for the current generation. */
    bool stopped = strcmp(state->end_status, "stopped") == 0 && plan->generation <= state->segment_generation;
    return stopped || plan->count == 0;
}

static void detach(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    if (null > 2)
        close(null);
    if (chdir("/") != 0)
        umask(077); /* keeping the working directory would keep its mount busy */
    umask(077);
    struct rlimit files; /* a file set keeps all of its files open */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        (void)!write(score, "1000", 4); /* the OOM killer should select the probe instead of the host's processes */
        close(score);
    }
}

static void note_resumption(struct run *run, const struct swept *swept, bool was_swept)
{
    if (was_swept) {
        struct text *line = notice_begin(&run->spool, "swept", "the test directory of an earlier segment was removed");
        json_string(line, "workdir", swept->path);
        json_uint(line, "bytes", swept->bytes);
        event_end(&run->spool);
    }
    struct text *line = notice_begin(&run->spool, "resumed", "the run continues in a new segment");
    json_uint(line, "trials", run->plan.count);
    event_end(&run->spool);
}

struct beginning {
    uint64_t segment;
    struct swept swept;
    bool was_swept;
    int lock;
    int ready; /* pipe to the parent */
};

static void live_detached(struct run *run, const struct beginning *beginning)
{
    detach();
    rundir_write_pid(beginning->lock);
    bool good = run_begin(run, job_of(&run->plan), beginning->segment);
    if (good && beginning->segment > 1)
        note_resumption(run, &beginning->swept, beginning->was_swept);
    (void)!write(beginning->ready, run->spool.failed ? "n" : "y", 1);
    close(beginning->ready);
    if (good)
        run_trials(run);
    _exit(0); /* also ends the thread that reads the free space, even if it hangs */
}

/* Forks twice, so that no process has to wait for the daemon; false with errno. */
static bool launch(struct run *run, struct beginning *beginning)
{
    int ends[2];
    char word = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    beginning->ready = ends[1];
    pid_t child = fork();
    if (child == 0) {
        setsid();
        pid_t daemon_pid = fork();
        if (daemon_pid == 0)
            live_detached(run, beginning);
        _exit(daemon_pid < 0);
    }
    int reason = errno;
    close(ends[1]);
    if (child > 0) {
        waitpid(child, NULL, 0);
        reason = read(ends[0], &word, 1) == 1 ? ENOSPC : ECHILD;
    }
    close(ends[0]);
    errno = reason; /* ENOSPC: the spool could not be written, as its most likely cause */
    return word == 'y';
}

/* After a power failure, the host may have lost the end of the spool although the worker has read
 * it. The worker's record is complete: the segment begins where that ends, after one line of
 * zeros in place of the lost bytes. */
static bool replace_lost(int spool, const struct plan *plan, struct spool_state *state)
{
    if (plan->read_bytes <= state->whole_bytes)
        return true;
    state->whole_bytes = plan->read_bytes;
    return ftruncate(spool, (off_t)plan->read_bytes - 1) == 0 && write(spool, "\n", 1) == 1;
}

static int open_spool(int rundir, const struct plan *plan, struct spool_state *state)
{
    int spool = openat(rundir, SPOOL_NAME, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (spool < 0 || (ftruncate(spool, (off_t)state->whole_bytes) == 0 && replace_lost(spool, plan, state)))
        return spool;
    close(spool);
    return -1;
}

static int begin_locked_segment(struct run *run, struct beginning *beginning, struct spool_state *state)
{
    run->spool.file = open_spool(run->rundir, &run->plan, state);
    run->spool.seq = state->seq > run->plan.read_events ? state->seq : run->plan.read_events;
    if (run->spool.file < 0)
        return complain(EXIT_SYSTEM, "the spool cannot be written: %s", strerror(errno));
    if (!rundir_clear_stop(run->rundir) || !rundir_clear_release(run->rundir) || !rundir_clear_connect(run->rundir) ||
        !rundir_watch_begin(run->rundir, run->plan.watch_ms * NS_PER_MS))
        return complain(EXIT_SYSTEM, "the run directory cannot be written: %s", strerror(errno));
    if (!launch(run, beginning))
        return complain(EXIT_SYSTEM, "the run could not be started: %s",
                        errno == ECHILD ? "its process exited before it reported anything" : strerror(errno));
    return answer("started", beginning->segment, state->whole_bytes);
}

static int begin_segment(struct run *run, int lock, struct spool_state *state)
{
    struct beginning beginning = {.segment = state->segments + 1, .lock = lock};
    const struct job *job = job_of(&run->plan);
    if (job->adopt)
        job->adopt(run->rundir, &run->plan);
    enum leftover leftover = workdir_sweep(run->rundir, &beginning.swept);
    if (leftover == LEFTOVER_FAILED)
        return complain(EXIT_SYSTEM, "the test directory %s of an earlier segment cannot be removed: %s",
                        beginning.swept.path, beginning.swept.reason);
    beginning.was_swept = leftover == LEFTOVER_REMOVED;
    struct refusal refusal;
    if (!locks_take(&run->locks, run->rundir, &run->plan, &refusal))
        return complain(EXIT_BUSY, "%s", refusal.message);
    int code = begin_locked_segment(run, &beginning, state);
    if (code != EXIT_OK)
        locks_release(&run->locks, run->rundir);
    return code;
}

static int start_locked(struct run *run, int lock)
{
    struct spool_state state;
    if (!spool_scan(run->rundir, &state))
        return complain(EXIT_SYSTEM, "the spool cannot be read: %s", strerror(errno));
    keep_what_lacks(&run->plan, &state);
    int code = is_done(&run->plan, &state) ? answer("done", state.segments, state.segment_offset)
                                           : begin_segment(run, lock, &state);
    spool_state_free(&state);
    return code;
}

/* Takes the lock; waits briefly if the run has written its `end` and is about to exit. */
static int take_lock(int rundir)
{
    for (uint64_t until = clock_mono() + ENDING_WAIT_NS;;) {
        int lock = rundir_lock(rundir);
        if (lock >= 0 || errno != EAGAIN || clock_mono() > until)
            return lock;
        struct spool_state state;
        bool ended = spool_scan(rundir, &state) && state.end_status[0];
        spool_state_free(&state);
        if (!ended) {
            errno = EAGAIN;
            return -1;
        }
        clock_sleep(20 * NS_PER_MS);
    }
}

static int answer_running(int rundir)
{
    struct spool_state state;
    if (!spool_scan(rundir, &state))
        return complain(EXIT_SYSTEM, "the spool cannot be read: %s", strerror(errno));
    int code = answer("running", state.segments, state.segment_offset);
    spool_state_free(&state);
    return code;
}

static int start_in(struct run *run, const char *path)
{
    run->rundir = rundir_open(path, true);
    if (run->rundir < 0)
        return complain(EXIT_NO_RUN, "the run directory %s cannot be created: %s", path, strerror(errno));
    int fence = pass_fence(run->rundir, run->plan.generation);
    if (fence != EXIT_OK)
        return fence;
    int lock = take_lock(run->rundir);
    if (lock < 0)
        return errno == EAGAIN ? answer_running(run->rundir)
                               : complain(EXIT_SYSTEM, "the run lock cannot be taken: %s", strerror(errno));
    int code = start_locked(run, lock);
    close(lock);
    return code;
}

int verb_start(int count, char **arguments)
{
    static struct run run;
    struct text input = {0};
    char error[512];
    if (count != 1)
        return complain(EXIT_USAGE, "usage: start RUN_DIR < PLAN");
    for (int inherited = 3; inherited < 1024; inherited++)
        close(inherited); /* the daemon must not keep a caller's pipes open */
    if (!read_input(&input))
        return complain(EXIT_BAD_PLAN, "the plan cannot be read from standard input: it must end and be under 64 MiB");
    int code;
    if (plan_parse(input.data ? input.data : "", input.length, job_types, &run.plan, error, sizeof error))
        code = start_in(&run, arguments[0]);
    else
        code = complain(EXIT_BAD_PLAN, "%s", error);
    plan_free(&run.plan);
    text_free(&input);
    return code;
}
