/* Commits: one thread appends records to a file and syncs each before the next. */
#include "job.h"

#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct commits_trial {
    struct trial common;
    uint64_t record; /* bytes */
    uint64_t records;
};

static const struct field fields[] = {
    NUMBER(struct commits_trial, record, 512, 1048576),
    NUMBER(struct commits_trial, records, 1, 1000000),
    {.name = NULL},
};

/* The state of one attempt, in addition to the pool. */
struct work {
    const struct commits_trial *trial;
    char name[32];
    int file;
    char *record;
};

static bool complete(struct parser *parser, struct trial *common)
{
    (void)parser;
    const struct commits_trial *trial = (const struct commits_trial *)common;
    common->total_bytes = trial->record * trial->records;
    return true;
}

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    (void)failure;
    *state = workspace;
    return true;
}

static void nothing(void *state)
{
    (void)state;
}

static int prepare_thread(struct thread *thread)
{
    struct work *own = thread->own;
    own->record = malloc(own->trial->record);
    if (!own->record)
        return ENOMEM;
    for (uint64_t i = 0; i < own->trial->record; i++)
        own->record[i] = (char)(i * 131 + i / 251);
    return 0;
}

static void work(struct thread *thread)
{
    struct threadpool *const pool = thread->pool;
    const struct work *const own = thread->own;
    meter_begin(&thread->meter, clock_mono());
    for (uint64_t i = 0; i < own->trial->records && !atomic_load(&pool->stop); i++) {
        uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        ssize_t written = pwrite(own->file, own->record, own->trial->record, (off_t)(i * own->trial->record));
        if (written != (ssize_t)own->trial->record || fdatasync(own->file) != 0) {
            thread_fail(thread, written < 0 || written == (ssize_t)own->trial->record ? errno : EIO);
            break;
        }
        uint64_t end = clock_mono();
        if (atomic_load(&pool->closed))
            return;
        meter_record(&thread->meter, start, end, own->trial->record);
        if (end >= pool->deadline_ns) {
            thread->timed_out = true;
            break;
        }
    }
    meter_start(&thread->meter, 0);
}

static void complete_thread(struct thread *thread)
{
    struct work *own = thread->own;
    free(own->record);
    own->record = NULL;
}

static int sync_file(struct thread *thread)
{
    const struct work *own = thread->own;
    return fdatasync(own->file) == 0 ? 0 : errno;
}

static bool make_file(void *argument)
{
    struct attempt *attempt = argument;
    struct work *own = attempt->own;
    if (!errand_calls(&attempt->workspace->errand, "open"))
        return false;
    own->file = workdir_create(&attempt->workspace->workdir, attempt->workspace->unnamed ? NULL : own->name, 0);
    return own->file >= 0 || fail_errno(&attempt->failure, errno, "the log cannot be made");
}

static bool prepare(struct attempt *attempt)
{
    struct work *own = calloc(1, sizeof *own);
    if (!own)
        return fail_errno(&attempt->failure, ENOMEM, "the log's description cannot be allocated");
    own->trial = (const struct commits_trial *)attempt->trial;
    own->file = -1;
    snprintf(own->name, sizeof own->name, "log%lu", (unsigned long)attempt->trial->position);
    attempt->own = own;
    attempt->writes = true;
    if (!errand_run(&attempt->workspace->errand, ERRAND_PREPARING, 0, make_file, attempt))
        return false;
    if (!threadpool_make(&attempt->pool, 1))
        return fail_errno(&attempt->failure, errno, "the thread's counters cannot be allocated");
    attempt->pool.task = (struct task){.prepare = prepare_thread, .work = work, .complete = complete_thread, .sync = sync_file};
    attempt->pool.work_call = "pwrite";
    attempt->pool.sync_call = "fdatasync";
    attempt->pool.threads[0].own = own;
    attempt->pool.threads[0].syncs = true;
    return true;
}

static void look(struct attempt *attempt, bool over)
{
    (void)attempt;
    (void)over;
}

static void explain(struct attempt *attempt, int error)
{
    fail_errno(&attempt->failure, error, "a commit failed");
}

static void conclude(struct attempt *attempt)
{
    attempt->findings.first_read_bytes = -1;
    attempt->working_set = attempt->trial->total_bytes;
    attempt->complete = attempt->started && threadpool_bytes(&attempt->pool) == attempt->trial->total_bytes;
}

static bool remove_file(void *argument)
{
    const struct attempt *attempt = argument;
    const struct work *own = attempt->own;
    if (own->file >= 0)
        workdir_discard(&attempt->workspace->workdir, own->file, attempt->workspace->unnamed ? NULL : own->name);
    return true;
}

static void release(struct attempt *attempt)
{
    if (!attempt->own)
        return;
    errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, remove_file, attempt);
    free(attempt->own);
    attempt->own = NULL;
}

const struct job commits_job = {
    .type = {.job = "commits", .targets = 1, .size = sizeof(struct commits_trial), .fields = fields, .complete = complete},
    .begin = begin,
    .clear = nothing,
    .end = nothing,
    .prepare = prepare,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .release = release,
};
