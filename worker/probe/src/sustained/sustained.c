/* Sustained writing or reading: each stream has a thread that writes or reads its own files, at full
 * speed or paced, for so many bytes or so long. The files of a read are prepared for each attempt. */
#include "job.h"
#include "sustained/fields.h"
#include "sustained/flight.h"
#include "sustained/handover.h"
#include "sustained/preparation.h"
#include "sustained/readback.h"
#include "sustained/report.h"
#include "sustained/work.h"

#include "clock.h"
#include "prepare.h"
#include "uring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

static bool engine_permitted(const struct sustained_trial *trial, struct failure *failure)
{
    char why[300];
    return trial->engine == SUSTAINED_ENGINE_THREADS ||
           uring_permitted((unsigned)trial->queue_depth, (unsigned)trial->streams, why, sizeof why) ||
           fail(failure, "io_uring_refused", EPERM, true, "engine=io_uring: %s, or use engine=threads", why);
}

/* Whether the host permits the threads and the engines of all trials. */
static bool check_permissions(const struct workspace *workspace, struct failure *failure)
{
    for (size_t i = 0; i < workspace->plan->count; i++) {
        const struct sustained_trial *trial = sustained_trial(plan_trial(workspace->plan, i));
        if (!priority_permitted(&trial->priority, failure) || !engine_permitted(trial, failure))
            return false;
    }
    return true;
}

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct supply supply;
    supply = (struct supply){.identity = testdata_run(workspace->plan->run)};
    *state = &supply;
    if (!check_permissions(workspace, failure))
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

/* The most bytes that the trial's files will have; 0 if that is not known. */
static uint64_t planned_bytes(const struct sustained_trial *trial)
{
    const uint64_t ring = trial->streams * trial->files * trial->file_bytes, total = trial->common.total_bytes;
    if (sustained_random(trial))
        return trial->streams * trial->file_bytes;
    return ring && (total == 0 || total > ring) ? ring : total;
}

/* Whether the files are written before the trial. */
static bool prepares_files(const struct sustained_trial *trial)
{
    return sustained_reads(trial) || sustained_random(trial);
}

/* Bytes of a stream's files, of which a read writes all before. */
static uint64_t stream_footprint(const struct stream *stream)
{
    if (sustained_random(stream->files.trial))
        return stream->files.trial->file_bytes;
    return streamfiles_footprint(&stream->files, stream->data.blocks * stream->files.trial->block);
}

static bool prepare_files(struct attempt *attempt)
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
        if (!streamfiles_prepare(&stream->files, attempt, &work_supply(attempt)->pattern, &stream->data.content,
                                 stream_footprint(stream)))
            return false;
    }
    if (attempt->writes) {
        prepare_overwriting(attempt, attempt->findings.resident_checked, attempt->findings.resident_pages);
        attempt->findings.resident_checked = attempt->findings.resident_pages = 0; /* of a write, counted during it */
    }
    for (uint64_t i = 0; i < own->count && sustained_random(sustained_trial(attempt->trial)); i++)
        posix_fadvise(streamfiles_current(&own->streams[i].files), 0, 0, POSIX_FADV_RANDOM);
    prepare_ended(attempt->workspace->spool, files, bytes, began);
    return true;
}

static bool open_files(struct attempt *attempt)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    for (uint64_t i = 0; i < own->count; i++)
        own->streams[i].footprint = stream_footprint(&own->streams[i]);
    if (prepares_files(trial))
        return prepare_files(attempt);
    for (uint64_t i = 0; i < own->count; i++) {
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
        (trial->cache == SUSTAINED_CACHE_DIRECT && !attempt_direct_fits(attempt, trial->block)))
        return false;
    errand->deadline_ns = clock_mono() + trial->prepare_timeout_ms * NS_PER_MS;
    const bool good = preparation_fill(attempt, work_supply(attempt), trial->fill_percent, planned_bytes(trial), &own->prepared) &&
                      limits_space(&workspace->limits, planned_bytes(trial), &attempt->failure) && open_files(attempt) &&
                      preparation_precondition(attempt, work_supply(attempt), trial->precondition_passes, &own->prepared);
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
        .depth = trial->engine == SUSTAINED_ENGINE_IO_URING ? trial->queue_depth + 1 : 0,
        .ahead = trial->burst_blocks, /* generated or verified in the gap, so that it does not delay the burst */
        .reads = trial->operation != SUSTAINED_OPERATION_WRITE,
    };
    return attempt_buffers(attempt, &demand, &own->windows);
}

/* Reports an I/O priority without effect. */
static void note_io_priority(const struct attempt *attempt)
{
    char why[400];
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool buffered = attempt->writes && trial->cache == SUSTAINED_CACHE_PAGE;
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
    attempt->mixed = sustained_mixed(trial);
    attempt->priority = trial->priority;
    note_io_priority(attempt);
    attempt->own = work_make(attempt);
    if (!attempt->own)
        return fail_errno(&attempt->failure, ENOMEM, "the streams cannot be allocated");
    const uint64_t prepared = prepares_files(trial) ? planned_bytes(trial) : 0;
    return errand_run(errand, ERRAND_PREPARING, prepared, prepare_target, attempt) && prepare_buffers(attempt) && work_make_pool(attempt);
}

/* Looks up in the page cache what the first stream has moved directly: the beginning of its file, or
 * the blocks of its first operations. */
static void look_at_residency(struct attempt *attempt, int file, uint64_t moved, bool over)
{
    const struct work *own = attempt->own;
    const uint64_t most = moved < RESIDENCY_BYTES ? moved : RESIDENCY_BYTES;
    uint64_t checked = 0, pages = 0;
    if (!sustained_random(sustained_trial(attempt->trial))) {
        attempt_look(attempt, file, moved, over);
        return;
    }
    if (!attempt_looks(attempt, moved, over))
        return;
    struct access access = own->streams[0].access; /* what its thread changes is set anew */
    access_begin(&access);
    for (uint64_t turn = 0; (turn + 1) * access.block <= most && turn < access.blocks; turn++)
        if (!residency_count_at(file, access_offset(&access, turn), access.block, &checked, &pages))
            return;
    attempt_found(attempt, checked, pages);
}

static void look(struct attempt *attempt, bool over)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct work *own = attempt->own;
    const struct streamfiles *files = &own->streams[0].files;
    const bool stays_open = trial->layout != SUSTAINED_LAYOUT_SEQUENCE; /* else its thread may be closing it */
    struct verification found = {0};
    report_marks(attempt);
    for (uint64_t i = 0; i < own->count; i++)
        blocks_add_errors(&own->streams[i].blocks, &found);
    attempt_tell_errors(attempt, &found, false);
    if (trial->cache == SUSTAINED_CACHE_DIRECT && (over || stays_open) && files->open && files->open[0] >= 0)
        look_at_residency(attempt, files->open[0], meter_tally(&attempt->pool.threads[0].meter).bytes, over);
}

static void explain(struct attempt *attempt, int error)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    if (error == EOVERFLOW && trial->layout == SUSTAINED_LAYOUT_SEQUENCE)
        fail(&attempt->failure, "system", 0, false,
             "file_bytes=%" PRIu64 " has made a sequence of %d files, the most that are recorded; use larger files",
             trial->file_bytes, SEQUENCE_FILES_MOST);
    else
        attempt_explain(attempt, error, trial->cache == SUSTAINED_CACHE_DIRECT, trial->block);
}

/* How long an operation that was abandoned had taken; 0 if the thread, which has no flight, is in none. */
static uint64_t unreturned(struct thread *thread, uint64_t now)
{
    const uint64_t started = meter_started(&thread->meter);
    const struct stream *stream = thread->own;
    const bool hangs = started && atomic_load(&thread->call) == thread->pool->work_call;
    return hangs ? now - started - standstill_within(stream->work->standstill, started, now) : 0;
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
    uint64_t used_passes = 0;
    const uint64_t now = clock_mono();
    own->abandoned_ns = hangs ? now : 0;
    own->still_ns = now - standstill_moving(own->standstill, now) - own->still_ns;
    for (uint64_t i = 0; attempt->started && i < attempt->pool.count; i++) {
        const struct tally tally = meter_tally(&attempt->pool.threads[i].meter);
        attempt->complete = attempt->complete && own->streams[i].finished;
        attempt->working_set += streamfiles_footprint(&own->streams[i].files, tally.bytes);
        verification_add(&attempt->findings.verification, &own->streams[i].blocks.found);
        const uint64_t end = hangs ? now : threadpool_last_end(&attempt->pool);
        if (own->streams[i].flight)
            flight_add_unfinished(&own->streams[i], end);
        else
            stream_add_unfinished(&own->streams[i], tally.ops, end);
        const uint64_t passes = sustained_random(trial) ? access_passes(&own->streams[i].access, own->streams[i].turns) : 0;
        used_passes = passes > used_passes ? passes : used_passes;
        if (hangs)
            own->streams[i].unreturned_ns = unreturned(&attempt->pool.threads[i], now);
    }
    work_supply(attempt)->passes += (uint32_t)used_passes;
    own->verified.elsewhere = trial->read_back == READ_BACK_OTHER_HOST;
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
    const struct pattern *pattern = &work_supply(attempt)->pattern;
    if (own->verified.due && own->verified.elsewhere)
        handover_run(attempt, pattern, &own->verified);
    else if (own->verified.due)
        readback_run(attempt, pattern, &own->verified);
}

static bool remove_files(void *argument)
{
    struct attempt *attempt = argument;
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool whole = prepares_files(trial) || trial->precondition_passes; /* the files had been written before */
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
    work_free(own);
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
