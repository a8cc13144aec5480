/* Sustained writing: each stream has a thread that writes its own files, at full speed or paced,
 * for so many bytes or so long. */
#include "job.h"
#include "sustained/fields.h"
#include "sustained/report.h"
#include "sustained/stream.h"

#include "clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What writes all trials' data: no data repeats within a run. */
struct supply {
    struct workspace *workspace;
    struct pattern pattern;
    uint64_t identity;
    uint32_t passes;
    uint64_t keys; /* used so far */
};

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct supply supply;
    supply = (struct supply){.workspace = workspace, .identity = testdata_run(workspace->plan->run)};
    *state = &supply;
    return pattern_make(&supply.pattern, workspace->plan->pool_bytes) ||
           fail_errno(failure, errno, "the test data's pool cannot be allocated");
}

static void clear(void *state)
{
    (void)state; /* each attempt removes its files */
}

static void end(void *state)
{
    struct supply *supply = state;
    pattern_free(&supply->pattern);
}

static struct supply *supply_of(const struct attempt *attempt)
{
    return attempt->state;
}

/* The most bytes that the trial's files will have; 0 if that is not known. */
static uint64_t planned_bytes(const struct sustained_trial *trial)
{
    const uint64_t ring = trial->streams * trial->files * trial->file_bytes, total = trial->common.total_bytes;
    return ring && (total == 0 || total > ring) ? ring : total;
}

static bool open_files(void *argument)
{
    struct attempt *attempt = argument;
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    struct workspace *workspace = attempt->workspace;
    attempt_settle(attempt);
    if (!errand_calls(&workspace->errand, "stat") || !target_holds(&workspace->target, &attempt->failure) ||
        (trial->cache == SUSTAINED_DIRECT && !attempt_direct_fits(attempt, trial->block)) ||
        !limits_space(&workspace->limits, planned_bytes(trial), &attempt->failure))
        return false;
    for (uint64_t i = 0; i < own->count; i++)
        if (!streamfiles_open(&own->streams[i].files, &attempt->failure))
            return false;
    return true;
}

static bool prepare_buffers(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    struct demand demand = {
        .block = trial->block,
        .threads = trial->streams,
        .blocks = sustained_blocks(trial, 0),
        .ahead = trial->burst_blocks, /* generated in the gap, so that it does not delay the burst */
    };
    return attempt_buffers(attempt, &demand, &own->windows);
}

/* Gives a stream its data, windows and turns. */
static bool make_stream(struct attempt *attempt, uint64_t number)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    struct supply *supply = supply_of(attempt);
    struct stream *stream = &own->streams[number];
    stream->data.content = (struct content){
        .run = supply->identity, .file = (uint32_t)number, .pass = supply->passes, .first_key = supply->keys};
    supply->keys += pattern_keys(&supply->pattern, stream->data.blocks * trial->block);
    if (own->windows.threaded && !blocks_queue_make(&stream->queue, &stream->data, false, 1, own->windows.count))
        return fail_errno(&attempt->failure, errno, "the data threads' queues cannot be allocated");
    stream->blocks = (struct blocks){
        .file = &stream->data,
        .pattern = &supply->pattern,
        .size = trial->block,
        .queue = own->windows.threaded ? &stream->queue : NULL,
        .memory = attempt->workspace->buffers.mappings[number].data,
        .stride = own->windows.stride,
        .windows = own->windows.count,
    };
    stream->pace = (struct pace){
        .schedule = &own->schedule,
        .next = trial->pace == PACE_RATE ? number : 0,
        .stride = trial->streams,
    };
    return true;
}

static bool make_pool(struct attempt *attempt)
{
    struct work *own = attempt->own;
    struct threadpool *pool = &attempt->pool;
    supply_of(attempt)->passes++;
    for (uint64_t i = 0; i < own->count; i++)
        if (!make_stream(attempt, i))
            return false;
    if (!threadpool_make(pool, own->count))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = stream_task();
    pool->own = own;
    pool->work_call = "pwrite";
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < own->count; i++) {
        pool->threads[i].own = &own->streams[i];
        pool->threads[i].syncs = true;
    }
    return true;
}

static struct work *make_work(const struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own;
    if (posix_memalign((void **)&own, METER_LINE, sizeof *own) != 0)
        return NULL;
    memset(own, 0, sizeof *own);
    if (posix_memalign((void **)&own->streams, METER_LINE, trial->streams * sizeof *own->streams) != 0 ||
        !marks_make(&own->marks, trial->mark_bytes, trial->streams)) {
        free(own->streams);
        free(own);
        return NULL;
    }
    memset(own->streams, 0, trial->streams * sizeof *own->streams);
    own->backlog_end = UINT64_MAX;
    for (; own->count < trial->streams; own->count++)
        own->streams[own->count] = (struct stream){
            .work = own,
            .number = own->count,
            .data.blocks = sustained_blocks(trial, own->count),
            .files = {.workspace = attempt->workspace, .trial = trial, .stream = own->count},
        };
    own->duration_ns = trial->duration_ms * NS_PER_MS;
    own->ramp_ns = trial->ramp_ms * NS_PER_MS;
    own->schedule = (struct schedule){
        .pacing = trial->pace,
        .block = trial->block,
        .rate = trial->rate_bytes_per_s,
        .burst = trial->burst_blocks,
        .gap_ns = pace_gap(trial->gap_ns, trial->quantum_ns),
        .operations = trial->length_bytes ? trial->common.total_bytes / trial->block : UINT64_MAX,
    };
    backlog_rates_make(&own->rates, trial->backlog_rates, trial->backlog_rate_count);
    return own;
}

static bool prepare(struct attempt *attempt)
{
    struct errand *errand = &attempt->workspace->errand;
    attempt->writes = true;
    attempt->own = make_work(attempt);
    if (!attempt->own)
        return fail_errno(&attempt->failure, ENOMEM, "the streams cannot be allocated");
    return errand_run(errand, ERRAND_PREPARING, 0, open_files, attempt) && prepare_buffers(attempt) && make_pool(attempt);
}

static uint64_t last_end(const struct threadpool *pool)
{
    uint64_t last = pool->started_ns;
    for (uint64_t i = 0; i < pool->count; i++)
        last = meter_last_end(&pool->threads[i].meter) > last ? meter_last_end(&pool->threads[i].meter) : last;
    return last;
}

static void look(struct attempt *attempt, bool over)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    const struct streamfiles *files = &own->streams[0].files;
    const bool stays_open = trial->layout != SUSTAINED_SEQUENCE; /* else its thread may be closing it */
    report_marks(attempt);
    if (trial->cache == SUSTAINED_DIRECT && (over || stays_open) && files->open && files->open[0] >= 0)
        attempt_look(attempt, files->open[0], meter_tally(&attempt->pool.threads[0].meter).bytes, over);
}

static void explain(struct attempt *attempt, int error)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    if (error == EINVAL && trial->cache == SUSTAINED_DIRECT)
        fail(&attempt->failure, "misaligned", EINVAL, false,
             "block=%" PRIu64 " is rejected by the file system with O_DIRECT; use a multiple of its alignment", trial->block);
    else
        fail_errno(&attempt->failure, error, "writing failed");
}

static void conclude(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    attempt->complete = attempt->started;
    if (attempt->started) { /* also after a call was abandoned: the marks add up to the result */
        marks_close_last(&own->marks, last_end(&attempt->pool), stream_backlog(own, last_end(&attempt->pool)));
        report_marks(attempt);
    }
    for (uint64_t i = 0; attempt->started && i < attempt->pool.count; i++) {
        attempt->complete = attempt->complete && own->streams[i].finished;
        attempt->working_set += streamfiles_footprint(&own->streams[i].files, meter_tally(&attempt->pool.threads[i].meter).bytes);
    }
    if (attempt->working_set == 0)
        attempt->working_set = trial->block;
}

static bool remove_files(void *argument)
{
    struct attempt *attempt = argument;
    struct work *own = attempt->own;
    for (uint64_t i = 0; i < own->count; i++)
        streamfiles_close(&own->streams[i].files);
    workdir_clear(&attempt->workspace->workdir);
    attempt->workspace->settling.removed_bytes += attempt->working_set;
    return true;
}

static void release(struct attempt *attempt)
{
    struct work *own = attempt->own;
    if (!own)
        return;
    errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, remove_files, attempt);
    for (uint64_t i = 0; i < own->count; i++)
        dataqueue_free(&own->streams[i].queue);
    marks_free(&own->marks);
    free(own->streams);
    free(own);
    attempt->own = NULL;
}

const struct job sustained_job = {
    .type = SUSTAINED_TYPE,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .detail = report_detail,
    .release = release,
};
