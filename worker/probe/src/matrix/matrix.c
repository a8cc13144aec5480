/* The matrix: in each trial, threads write or read files in blocks of one size, up to their end.
 * A write is followed by a sync of each file. */
#include "job.h"
#include "matrix/fields.h"
#include "matrix/filesets.h"

#include "clock.h"
#include "prepare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MATRIX_THREADS_MOST <= THREADS_MOST && MATRIX_THREADS_MOST <= BUFFERS_MOST, "each thread has its own");

/* The state of one attempt, in addition to the pool. */
struct work {
    struct test_file files[MATRIX_THREADS_MOST];
    struct blocks blocks[MATRIX_THREADS_MOST];
    struct dataqueue queues[MATRIX_THREADS_MOST]; /* one for each file to be written, or thread that reads */
    struct windows windows;
};

static struct filesets *sets_of(const struct attempt *attempt)
{
    return attempt->state;
}

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct filesets sets;
    *state = &sets;
    return filesets_begin(&sets, workspace, failure);
}

static void clear(void *state)
{
    filesets_remove(state);
}

static void end(void *state)
{
    filesets_end(state);
}

static int prepare_thread(struct thread *thread)
{
    return blocks_begin(thread->own);
}

static void work(struct thread *thread)
{
    struct threadpool *const pool = thread->pool;
    struct blocks *const blocks = thread->own;
    struct meter *const meter = &thread->meter;
    struct block block;
    meter_begin(meter, clock_mono());
    while (blocks_next(blocks, &block) && !atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        uint64_t start = clock_mono();
        meter_start(meter, start);
        int64_t moved = block_move(blocks, &block, &pool->stop);
        if (atomic_load_explicit(&pool->closed, memory_order_relaxed))
            return;
        if (moved < 0) {
            thread_fail(thread, errno);
            break;
        }
        uint64_t end = clock_mono();
        meter_record(meter, start, end, (uint64_t)moved);
        blocks_done(blocks, &block);
        if (end >= pool->deadline_ns) {
            thread->timed_out = true;
            break;
        }
    }
    meter_start(meter, 0);
}

static void complete_thread(struct thread *thread)
{
    blocks_end(thread->own);
}

static int sync_file(struct thread *thread)
{
    const struct blocks *blocks = thread->own;
    return fdatasync(blocks->file->file) == 0 ? 0 : errno;
}

static bool prepare_files(void *argument)
{
    struct attempt *attempt = argument;
    struct work *own = attempt->own;
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    attempt_settle(attempt);
    return errand_calls(&attempt->workspace->errand, "stat") &&
           target_holds(&attempt->workspace->target, &attempt->failure) &&
           (trial->cache != MATRIX_CACHE_DIRECT || attempt_direct_fits(attempt, trial->block)) &&
           files_open(sets_of(attempt), trial, own->files, &attempt->failure);
}

static bool prepare_buffers(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    struct work *own = attempt->own;
    uint64_t blocks = trial->common.total_bytes / trial->block;
    struct demand demand = {
        .block = trial->block,
        .threads = trial->threads,
        .blocks = (blocks + trial->threads - 1) / trial->threads,
        .reads = trial->operation == MATRIX_OPERATION_READ,
    };
    return attempt_buffers(attempt, &demand, &own->windows);
}

/* Reads must be served by the device. */
static bool prepare_files_to_read(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const struct work *own = attempt->own;
    attempt->findings.unwritten = EXTENTS_NONE;
    for (uint64_t i = 0; i < trial->files; i++)
        if (!prepare_reading(attempt, own->files[i].file, trial->file_size))
            return false;
    return true;
}

/* Data of an earlier trial in the page cache would make this trial faster than the first. */
static bool drop_overwritten(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const struct work *own = attempt->own;
    uint64_t checked = 0, resident = 0;
    for (uint64_t i = 0; i < trial->files; i++) {
        if (!prepare_drop(attempt, own->files[i].file, "a test file cannot be synced before overwriting"))
            return false;
        residency_count(own->files[i].file, trial->file_size, &checked, &resident);
    }
    prepare_overwriting(attempt, checked, resident);
    return true;
}

static bool equal_start(void *argument)
{
    struct attempt *attempt = argument;
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    if (trial->operation == MATRIX_OPERATION_READ)
        return prepare_files_to_read(attempt);
    return trial->layout != MATRIX_LAYOUT_OVERWRITE || drop_overwritten(attempt);
}

static bool make_queues(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const bool reads = trial->operation == MATRIX_OPERATION_READ;
    const uint64_t count = reads ? trial->threads : trial->files;
    struct work *own = attempt->own;
    for (uint64_t i = 0; own->windows.threaded && i < count; i++) {
        const uint64_t threads = (trial->threads - i + count - 1) / count; /* that use this queue */
        if (!blocks_queue_make(&own->queues[i], &own->files[i % trial->files], reads, threads, own->windows.count))
            return fail_errno(&attempt->failure, errno, "the data threads' queues cannot be allocated");
    }
    return true;
}

static bool make_pool(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const bool reads = trial->operation == MATRIX_OPERATION_READ;
    struct work *own = attempt->own;
    struct threadpool *pool = &attempt->pool;
    if (!threadpool_make(pool, trial->threads))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = (struct task){.prepare = prepare_thread, .work = work, .complete = complete_thread, .sync = sync_file};
    pool->work_call = reads ? "pread" : "pwrite";
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < trial->threads; i++) {
        own->blocks[i] = (struct blocks){
            .file = &own->files[i % trial->files],
            .pattern = &sets_of(attempt)->pattern,
            .size = trial->block,
            .reads = reads,
            .queue = own->windows.threaded ? &own->queues[reads ? i : i % trial->files] : NULL,
            .memory = attempt->workspace->buffers.mappings[i].data,
            .stride = own->windows.stride,
            .windows = own->windows.count,
        };
        pool->threads[i].own = &own->blocks[i];
        pool->threads[i].syncs = i < trial->files;
    }
    return true;
}

static bool prepare(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    struct errand *errand = &attempt->workspace->errand;
    struct work *own;
    if (posix_memalign((void **)&own, LINE, sizeof *own) != 0)
        return fail_errno(&attempt->failure, ENOMEM, "the file table cannot be allocated");
    memset(own, 0, sizeof *own);
    for (uint64_t i = 0; i < trial->files; i++)
        own->files[i].file = -1;
    attempt->own = own;
    attempt->writes = trial->operation == MATRIX_OPERATION_WRITE;
    uint64_t bytes = files_prepared_bytes(sets_of(attempt), trial);
    return errand_run(errand, ERRAND_PREPARING, bytes, prepare_files, attempt) && prepare_buffers(attempt) &&
           errand_run(errand, ERRAND_PREPARING, 0, equal_start, attempt) && make_queues(attempt) && make_pool(attempt);
}

/* The files of a read were dropped from the page cache before. */
static void look(struct attempt *attempt, bool over)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const struct work *own = attempt->own;
    if (trial->cache == MATRIX_CACHE_DIRECT)
        attempt_look(attempt, own->files[0].file, threadpool_bytes(&attempt->pool) / trial->files, over);
}

static void explain(struct attempt *attempt, int error)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    attempt_explain(attempt, error, trial->cache == MATRIX_CACHE_DIRECT, trial->block);
}

static void conclude(struct attempt *attempt)
{
    const struct matrix_trial *trial = matrix_trial(attempt->trial);
    const struct work *own = attempt->own;
    uint64_t bytes[MATRIX_THREADS_MOST] = {0};
    attempt->complete = attempt->started && threadpool_bytes(&attempt->pool) == trial->common.total_bytes;
    attempt->working_set = trial->common.total_bytes;
    for (uint64_t i = 0; attempt->started && i < attempt->pool.count; i++) {
        verification_add(&attempt->findings.verification, &own->blocks[i].found);
        /* the blocks of a file are claimed from its beginning, so the read part is its beginning */
        bytes[i % trial->files] += meter_tally(&attempt->pool.threads[i].meter).bytes;
    }
    if (trial->operation == MATRIX_OPERATION_READ)
        attempt->findings.first_read_bytes = (int64_t)files_first_read(sets_of(attempt), trial, bytes);
}

static bool close_files(void *argument)
{
    const struct attempt *attempt = argument;
    struct work *own = attempt->own;
    files_close(sets_of(attempt), matrix_trial(attempt->trial), own->files);
    return true;
}

static void release(struct attempt *attempt)
{
    if (!attempt->own)
        return;
    struct work *own = attempt->own;
    errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, close_files, attempt);
    for (uint64_t i = 0; i < MATRIX_THREADS_MOST; i++)
        dataqueue_free(&own->queues[i]);
    free(attempt->own);
    attempt->own = NULL;
}

const struct job matrix_job = {
    .type = MATRIX_TYPE,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .release = release,
};
