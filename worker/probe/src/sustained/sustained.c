/* Sustained writing or reading: each stream has a thread that writes or reads its own files, at full
 * speed or paced, for so many bytes or so long. The files of a read are prepared for each attempt. */
#include "job.h"
#include "sustained/fields.h"
#include "sustained/preparation.h"
#include "sustained/readback.h"
#include "sustained/report.h"
#include "sustained/stream.h"

#include "clock.h"
#include "prepare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether the host permits the threads of all trials. */
static bool check_priorities(const struct workspace *workspace, struct failure *failure)
{
    for (size_t i = 0; i < workspace->plan->count; i++) {
        const struct sustained_trial *trial = sustained_trial(plan_trial(workspace->plan, i));
        if (!priority_permitted(&trial->priority, failure))
            return false;
    }
    return true;
}

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct supply supply;
    supply = (struct supply){.identity = testdata_run(workspace->plan->run)};
    *state = &supply;
    if (!check_priorities(workspace, failure))
        return false;
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

/* Bytes of a stream's files, of which a read writes all before. */
static uint64_t stream_footprint(const struct stream *stream)
{
    return streamfiles_footprint(&stream->files, stream->data.blocks * stream->files.trial->block);
}

static bool prepare_read(struct attempt *attempt)
{
    struct work *own = attempt->own;
    const uint64_t began = clock_mono();
    uint64_t files = 0, bytes = 0;
    for (uint64_t i = 0; i < own->count; i++) {
        files += streamfiles_count(&own->streams[i].files, stream_footprint(&own->streams[i]));
        bytes += stream_footprint(&own->streams[i]);
    }
    prepare_begins(attempt->workspace->spool, files, bytes);
    attempt->findings.unwritten = EXTENTS_NONE;
    for (uint64_t i = 0; i < own->count; i++) {
        struct stream *stream = &own->streams[i];
        if (!streamfiles_prepare(&stream->files, attempt, &supply_of(attempt)->pattern, &stream->data.content,
                                 stream_footprint(stream)))
            return false;
    }
    prepare_ended(attempt->workspace->spool, files, bytes, began);
    return true;
}

static bool open_files(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    if (sustained_reads(trial))
        return prepare_read(attempt);
    for (uint64_t i = 0; i < own->count; i++) {
        own->streams[i].footprint = stream_footprint(&own->streams[i]);
        if (!streamfiles_open(&own->streams[i].files, &attempt->failure))
            return false;
    }
    return true;
}

/* Brings the target into the trial's starting condition, within the limit of preparation. */
static bool prepare_target(void *argument)
{
    struct attempt *attempt = argument;
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    struct workspace *workspace = attempt->workspace;
    struct errand *errand = &workspace->errand;
    attempt_settle(attempt);
    if (!errand_calls(errand, "stat") || !target_holds(&workspace->target, &attempt->failure) ||
        (trial->cache == SUSTAINED_DIRECT && !attempt_direct_fits(attempt, trial->block)))
        return false;
    errand->deadline_ns = clock_mono() + trial->prepare_timeout_ms * NS_PER_MS;
    const bool good = preparation_fill(attempt, supply_of(attempt), trial->fill_percent, planned_bytes(trial), &own->prepared) &&
                      limits_space(&workspace->limits, planned_bytes(trial), &attempt->failure) && open_files(attempt) &&
                      preparation_precondition(attempt, supply_of(attempt), trial->precondition_passes, &own->prepared);
    errand->deadline_ns = 0;
    return good && preparation_idle(attempt, trial->idle_ms * NS_PER_MS, &own->prepared);
}

static bool prepare_buffers(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    struct demand demand = {
        .block = trial->block,
        .threads = trial->streams,
        .blocks = sustained_blocks(trial, 0),
        .ahead = trial->burst_blocks, /* generated or verified in the gap, so that it does not delay the burst */
        .reads = sustained_reads(trial),
    };
    return attempt_buffers(attempt, &demand, &own->windows);
}

/* Gives each stream data of its own. */
static void make_contents(struct attempt *attempt)
{
    struct work *own = attempt->own;
    struct supply *supply = supply_of(attempt);
    supply->passes++;
    for (uint64_t i = 0; i < own->count; i++) {
        struct test_file *data = &own->streams[i].data;
        data->content = supply_content(supply, i, data->blocks * sustained_trial(attempt->trial)->block);
    }
}

/* Gives a stream its windows and turns. */
static bool make_stream(struct attempt *attempt, uint64_t number)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool reads = sustained_reads(trial);
    struct work *own = attempt->own;
    struct stream *stream = &own->streams[number];
    stream->footprint = stream_footprint(stream);
    if (own->windows.threaded && !blocks_queue_make(&stream->queue, &stream->data, reads, 1, own->windows.count))
        return fail_errno(&attempt->failure, errno, "the data threads' queues cannot be allocated");
    stream->blocks = (struct blocks){
        .file = &stream->data,
        .pattern = &supply_of(attempt)->pattern,
        .size = trial->block,
        .reads = reads,
        .queue = own->windows.threaded ? &stream->queue : NULL,
        .memory = attempt->workspace->buffers.mappings[number].data,
        .stride = own->windows.stride,
        .windows = own->windows.count,
    };
    stream->frames = (struct frames){
        .reads = reads,
        .size = trial->pace != PACE_RATE ? 0 : trial->layout == SUSTAINED_SEQUENCE ? trial->file_bytes : trial->block,
        .rate = trial->rate_bytes_per_s,
        .streams = trial->streams,
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
    for (uint64_t i = 0; i < own->count; i++)
        if (!make_stream(attempt, i))
            return false;
    if (!threadpool_make(pool, own->count))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = stream_task();
    pool->own = own;
    pool->work_call = attempt->writes ? "pwrite" : "pread";
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < own->count; i++) {
        pool->threads[i].own = &own->streams[i];
        own->streams[i].files.thread = &pool->threads[i];
        pool->threads[i].syncs = attempt->writes;
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
        !marks_make(&own->marks, trial->mark_bytes, MARKS_MOST, trial->streams)) {
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

/* Reports an I/O priority without effect. */
static void note_io_priority(const struct attempt *attempt)
{
    char why[400];
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool buffered = attempt->writes && trial->cache == SUSTAINED_PAGE;
    if (!priority_ignored(&trial->priority, attempt->workspace->target.device, buffered, why, sizeof why))
        return;
    struct text *line = notice_begin(attempt->workspace->spool, "io_priority_ignored", why);
    json_uint(line, "trial", trial->common.position);
    event_end(attempt->workspace->spool);
}

static bool prepare(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct errand *errand = &attempt->workspace->errand;
    attempt->writes = !sustained_reads(trial);
    attempt->priority = trial->priority;
    note_io_priority(attempt);
    attempt->own = make_work(attempt);
    if (!attempt->own)
        return fail_errno(&attempt->failure, ENOMEM, "the streams cannot be allocated");
    make_contents(attempt);
    const uint64_t prepared = attempt->writes ? 0 : planned_bytes(trial);
    return errand_run(errand, ERRAND_PREPARING, prepared, prepare_target, attempt) && prepare_buffers(attempt) && make_pool(attempt);
}

static void look(struct attempt *attempt, bool over)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    const struct streamfiles *files = &own->streams[0].files;
    const bool stays_open = trial->layout != SUSTAINED_SEQUENCE; /* else its thread may be closing it */
    struct verification found = {0};
    report_marks(attempt);
    for (uint64_t i = 0; i < own->count; i++)
        blocks_add_errors(&own->streams[i].blocks, &found);
    attempt_tell_errors(attempt, &found, false);
    if (trial->cache == SUSTAINED_DIRECT && (over || stays_open) && files->open && files->open[0] >= 0)
        attempt_look(attempt, files->open[0], meter_tally(&attempt->pool.threads[0].meter).bytes, over);
}

static void explain(struct attempt *attempt, int error)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    if (error == EOVERFLOW && trial->layout == SUSTAINED_SEQUENCE)
        fail(&attempt->failure, "system", 0, false,
             "file_bytes=%" PRIu64 " has made a sequence of %d files, the most that are recorded; use larger files",
             trial->file_bytes, SEQUENCE_FILES_MOST);
    else
        attempt_explain(attempt, error, trial->cache == SUSTAINED_DIRECT, trial->block);
}

/* How long an operation that was abandoned had taken; 0 if the thread is in none. */
static uint64_t unreturned(struct thread *thread, uint64_t now)
{
    const uint64_t started = meter_started(&thread->meter);
    return started && atomic_load(&thread->call) == thread->pool->work_call ? now - started : 0;
}

static void conclude(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    attempt->complete = attempt->started;
    if (attempt->started) { /* also after a call was abandoned: the marks add up to the result */
        const uint64_t last = threadpool_last_end(&attempt->pool);
        marks_close_last(&own->marks, last, stream_backlog(own, last));
        report_marks(attempt);
    }
    const bool hangs = atomic_load(&attempt->pool.closed);
    const uint64_t now = clock_mono();
    for (uint64_t i = 0; attempt->started && i < attempt->pool.count; i++) {
        const struct tally tally = meter_tally(&attempt->pool.threads[i].meter);
        attempt->complete = attempt->complete && own->streams[i].finished;
        attempt->working_set += streamfiles_footprint(&own->streams[i].files, tally.bytes);
        verification_add(&attempt->findings.verification, &own->streams[i].blocks.found);
        stream_add_unfinished(&own->streams[i], tally.ops, hangs ? now : threadpool_last_end(&attempt->pool));
        if (hangs)
            own->streams[i].unreturned_ns = unreturned(&attempt->pool.threads[i], now);
    }
    own->verified.due = trial->read_back && attempt->complete && attempt->synced && !attempt->failure.code;
    if (!attempt->writes)
        attempt->findings.first_read_bytes = (int64_t)attempt->working_set;
    if (attempt->working_set == 0)
        attempt->working_set = trial->block;
}

/* A probe that dies while it reads the files back has reported what it measured. */
static void follow_up(struct attempt *attempt)
{
    struct work *own = attempt->own;
    if (own->verified.due)
        readback_run(attempt, &supply_of(attempt)->pattern, &own->verified);
}

static bool remove_files(void *argument)
{
    struct attempt *attempt = argument;
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool whole = !attempt->writes || trial->precondition_passes; /* the files had been written before */
    struct work *own = attempt->own;
    for (uint64_t i = 0; i < own->count; i++)
        streamfiles_close(&own->streams[i].files);
    workdir_clear(&attempt->workspace->workdir);
    attempt->workspace->settling.removed_bytes += whole ? planned_bytes(trial) : attempt->working_set;
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
    .goes_on = true,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .detail = report_detail,
    .follow_up = follow_up,
    .release = release,
};
