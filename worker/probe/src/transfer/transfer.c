/* The job `path`: in each trial, one leg of a path from a source to a sink. Its ends are two
 * probes, which meet before the start and begin together at the barrier. */
#include "job.h"
#include "transfer/disk.h"
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
    return fdatasync(worker->transfer->files[worker->index].file) == 0 ? 0 : errno;
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

static void read_token(const char *digits, uint8_t token[SHA256_BYTES])
{
    for (int i = 0; i < SHA256_BYTES; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        token[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static struct transfer *make_transfer(struct attempt *attempt)
{
    struct transfer *transfer;
    const struct transfer_trial *trial = transfer_trial(attempt->trial);
    struct supply *supply = attempt->state;
    if (posix_memalign((void **)&transfer, METER_LINE, sizeof *transfer) != 0)
        return NULL;
    memset(transfer, 0, sizeof *transfer);
    link_none(&transfer->link);
    for (uint64_t i = 0; i < DISK_THREADS_MOST; i++)
        transfer->files[i].file = -1;
    transfer->trial = transfer->link.trial = trial;
    transfer->pattern = &supply->pattern;
    transfer->hardware = supply->pattern.hardware;
    transfer->generates = trial->leg == LEG_TRANSFER && trial->sink == MEDIUM_DISK;
    transfer->content = supply_content(supply, trial->length_bytes ? trial->length_bytes : (uint64_t)INT64_MAX / 2);
    read_token(attempt->workspace->plan->token, transfer->link.token);
    return transfer;
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
    if (!pipeline_make(transfer, attempt) || (trial->leg == LEG_TRANSFER && !link_meet(&transfer->link, attempt)))
        return false;
    transfer->rtt_idle_ns = report_rtt(&transfer->link);
    report_begin(attempt);
    return make_pool(transfer, attempt);
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
    if (transfer_uses_disk(trial) && cache == TRANSFER_DIRECT)
        attempt_look(attempt, transfer->files[0].file, threadpool_bytes(&attempt->pool) / trial->disk_threads, over);
}

static void explain(struct attempt *attempt, int error)
{
    const struct transfer *transfer = attempt->own;
    const struct transfer_trial *trial = transfer->trial;
    struct failure *failure = &attempt->failure;
    const int reason = atomic_load(&transfer->problem_error);
    switch ((enum problem)atomic_load(&transfer->problem)) {
    case PROBLEM_NONE:
        attempt_explain(attempt, error, (transfer_sends(trial) ? trial->source_cache : trial->sink_cache) == TRANSFER_DIRECT,
                        trial->block);
        return;
    case PROBLEM_ENDED:
        fail(failure, "peer_ended", 0, false,
             "the other end closed a stream before it was complete; its own error, or its host's log, says why");
        return;
    case PROBLEM_SILENT:
        fail(failure, "peer_silent", ETIMEDOUT, false,
             "the other end's host has not answered for the time of silence_ms; check the network and that host");
        return;
    case PROBLEM_UNACKNOWLEDGED:
        fail(failure, "peer_silent", ETIMEDOUT, false,
             "data was sent and none of it acknowledged, although the connections were made: the MTU of the path is probably "
             "smaller than the card's (a black hole); lower the card's MTU, or let the routers report it");
        return;
    case PROBLEM_BROKEN:
        fail(failure, "peer_silent", reason, false, "a stream failed: %s; check the network between the hosts", strerror(reason));
        return;
    case PROBLEM_FRAME:
        fail(failure, "peer_differs", EPROTO, false, "a stream brought something other than this trial's blocks; use the same "
                                                     "version of the probe at both ends");
        return;
    case PROBLEM_DIGEST:
        fail(failure, "digest_mismatch", 0, false,
             "the receiver's blocks differ from the sender's: data was lost or changed between them; check cards, cables and "
             "memory of both hosts");
        return;
    }
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
