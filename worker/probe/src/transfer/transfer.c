/* The job `path`: in each trial, one leg of a path from a source to a sink. Its ends are two
 * probes, which meet before the start and begin together at the barrier. */
#include "job.h"
#include "transfer/affinity.h"
#include "transfer/disk.h"
#include "transfer/linkreport.h"
#include "transfer/report.h"

#include "clock.h"
#include "crc32c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct supply supply;
    supply.identity = testdata_run(workspace->plan->run);
    *state = &supply;
    return pattern_make(&supply.pattern, workspace->plan->pool_bytes) ||
           fail_errno(failure, errno, "the test data's pool cannot be allocated");
}

/* The files of a trial are removed with it. */
static void clear(void *state)
{
    (void)state;
}

static void end(void *state)
{
    struct supply *supply = state;
    pattern_free(&supply->pattern);
}

static bool open_disk(void *argument)
{
    struct attempt *attempt = argument;
    return disk_open(attempt->own, attempt->state, attempt);
}

static int sync_file(struct thread *thread)
{
    const struct worker *worker = thread->own;
    if (fdatasync(worker->transfer->files[worker->index].file) != 0)
        return errno;
    if (worker->transfer->trial->small_files == 0 || worker->index > 0)
        return 0;
    thread_enters(thread, "syncfs"); /* by one thread, for all */
    return small_files_sync(&worker->transfer->small_files);
}

static bool make_pool(struct transfer *transfer, struct attempt *attempt)
{
    struct threadpool *pool = &attempt->pool;
    if (!threadpool_make(pool, transfer->count ? transfer->count : 1))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = (struct task){
        .begin = pipeline_begin,
        .prepare = pipeline_prepare,
        .work = pipeline_work,
        .complete = pipeline_complete,
        .sync = sync_file,
    };
    pool->own = transfer;
    pool->work_call = transfer->count ? stage_calls[transfer->stages[transfer->stage_count - 1]] : "wait";
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < transfer->count; i++) {
        pool->threads[i].own = &transfer->workers[i];
        pool->threads[i].syncs = transfer->workers[i].kind == STAGE_WRITE;
    }
    return true;
}

static struct transfer *make_transfer(struct attempt *attempt)
{
    struct transfer *transfer;
    const struct transfer_trial *trial = transfer_trial(attempt->trial);
    struct supply *supply = attempt->state;
    if (posix_memalign((void **)&transfer, METER_LINE, sizeof *transfer) != 0)
        return NULL;
    memset(transfer, 0, sizeof *transfer);
    link_make(&transfer->link, &trial->link, attempt->workspace->plan->token);
    for (uint64_t i = 0; i < DISK_THREADS_MOST; i++)
        transfer->files[i].file = -1;
    transfer->trial = trial;
    transfer->pattern = &supply->pattern;
    transfer->hardware = supply->pattern.hardware;
    transfer->generates = trial->leg == LEG_TRANSFER && trial->sink == MEDIUM_DISK;
    transfer->content = supply_content(supply, trial->length_bytes ? trial->length_bytes : (uint64_t)INT64_MAX / 2);
    transfer->small_files = (struct small_files){.trial = trial, .directory = -1};
    if (trial->small_files)
        transfer->small_files.content = supply_content(supply, small_bytes(trial));
    transfer->small_files.content.file = DISK_THREADS_MOST;
    return transfer;
}

/* Both ends execute the same leg of the same data. */
static bool meet(struct transfer *transfer, struct attempt *attempt)
{
    static const char *const names[] = {"job",         "position",  "streams", "block", "length_bytes",
                                        "duration_ms", "integrity", "source",  "sink",  "small_files",
                                        "small_file_bytes", NULL};
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t values[] = {
        0, trial->common.position, trial->link.streams, trial->block, trial->length_bytes, trial->duration_ms, trial->integrity,
        trial->source, trial->sink, trial->small_files, trial->small_file_bytes};
    return link_meet(&transfer->link, attempt, &(struct agreement){names, values});
}

/* Finds the CPUs that the trial names; the host may have changed since the plan was read. */
static bool find_cpus(struct transfer *transfer, struct attempt *attempt)
{
    const struct transfer_trial *trial = transfer->trial;
    struct card card = transfer->link.card;
    char error[sizeof attempt->failure.message];
    if (!trial->cpus || transfer->count == 0)
        return true;
    if (!card.name[0] && trial->link.bind)
        card_find(&card, trial->link.bind);
    return affinity_find(trial->cpus, card.name, &transfer->cpus, error, sizeof error) ||
           fail(&attempt->failure, "affinity_refused", 0, false, "%s", error);
}

static bool prepare(struct attempt *attempt)
{
    const struct transfer_trial *trial = transfer_trial(attempt->trial);
    struct errand *errand = &attempt->workspace->errand;
    const bool disk = transfer_uses_disk(trial), source = disk && transfer_sends(trial);
    struct transfer *transfer = make_transfer(attempt);
    attempt->own = transfer;
    if (!transfer)
        return fail_errno(&attempt->failure, ENOMEM, "the trial's state cannot be allocated");
    attempt->writes = disk && !source;
    if (disk && !errand_run(errand, ERRAND_PREPARING, source ? trial->common.total_bytes : 0, open_disk, attempt))
        return false;
    if (!pipeline_make(transfer, attempt) || (trial->leg == LEG_TRANSFER && !meet(transfer, attempt)))
        return false;
    linkreport_begin(&transfer->link);
    placement_begin(&transfer->placement, &transfer->link.card);
    return find_cpus(transfer, attempt) && make_pool(transfer, attempt);
}

static void sampled(struct attempt *attempt, uint64_t end_ns)
{
    const struct transfer *transfer = attempt->own;
    if (transfer->count)
        report_link(attempt, end_ns);
}

static void look(struct attempt *attempt, bool over)
{
    struct transfer *transfer = attempt->own;
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t cache = transfer_sends(trial) ? trial->source_cache : trial->sink_cache;
    link_reject_others(&transfer->link);
    if (transfer_uses_disk(trial) && cache == PATH_SOURCE_CACHE_DIRECT)
        attempt_look(attempt, transfer->files[0].file, threadpool_bytes(&attempt->pool) / trial->disk_threads, over);
}

static void explain(struct attempt *attempt, int error)
{
    struct transfer *transfer = attempt->own;
    const struct transfer_trial *trial = transfer->trial;
    if (!problem_explain(&transfer->problem, &attempt->failure, "blocks") &&
        !small_files_explain(&transfer->small_files, error, &attempt->failure))
        attempt_explain(attempt, error, (transfer_sends(trial) ? trial->source_cache : trial->sink_cache) == PATH_SOURCE_CACHE_DIRECT,
                        trial->block);
}

static void conclude(struct attempt *attempt)
{
    struct transfer *transfer = attempt->own;
    if (!transfer)
        return;
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t bytes = attempt->started ? threadpool_bytes(&attempt->pool) : 0;
    attempt->complete = attempt->started;
    for (uint64_t i = 0; i < transfer->count; i++)
        attempt->complete = attempt->complete && transfer->workers[i].finished;
    if (attempt->complete && trial->common.total_bytes)
        attempt->complete = bytes == trial->common.total_bytes;
    attempt->working_set = bytes ? bytes : trial->block;
    attempt->findings.first_read_bytes = transfer_uses_disk(trial) && transfer_sends(trial) ? (int64_t)bytes : -1;
    link_reject_others(&transfer->link);
}

static bool close_disk(void *argument)
{
    struct attempt *attempt = argument;
    disk_close(attempt->own, attempt);
    return true;
}

static void release(struct attempt *attempt)
{
    struct transfer *transfer = attempt->own;
    if (!transfer)
        return;
    link_close(&transfer->link);
    placement_free(&transfer->placement);
    if (transfer_uses_disk(transfer->trial))
        errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, close_disk, attempt);
    pipeline_free(transfer);
    free(transfer);
    attempt->own = NULL;
}

const struct job transfer_job = {
    .type = TRANSFER_TYPE,
    .bears_starvation = true,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .sampled = sampled,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .detail = report_path,
    .release = release,
};
