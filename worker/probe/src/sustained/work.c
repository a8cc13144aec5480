#include "sustained/work.h"

#include "clock.h"
#include "sustained/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct supply *work_supply(const struct attempt *attempt)
{
    return attempt->state;
}

/* Gives each stream data of its own. */
static void make_contents(const struct attempt *attempt, struct work *own)
{
    struct supply *supply = work_supply(attempt);
    supply->passes++;
    for (uint64_t i = 0; i < own->count; i++) {
        struct test_file *data = &own->streams[i].data;
        data->content = supply_content(supply, i, data->blocks * sustained_trial(attempt->trial)->block);
    }
}

/* Gives a random trial's stream its order, and what it writes in each pass: a pass of its own in the
 * stamps, and other keys. */
static void make_access(const struct attempt *attempt, struct stream *stream)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    struct supply *supply = work_supply(attempt);
    if (!sustained_random(trial))
        return;
    stream->access = (struct access){
        .blocks = trial->file_bytes / trial->block,
        .block = trial->block,
        .key = access_key(trial->seed, stream->number),
        .read_percent = sustained_reads(trial) ? 100 : trial->read_percent,
        .before = stream->data.content,
        .first = supply_content(supply, stream->number, stream->data.blocks * trial->block + trial->file_bytes),
        .keys = pattern_keys(&supply->pattern, trial->file_bytes),
    };
    stream->access.first.pass++;
    access_begin(&stream->access);
    stream->blocks.placement = (struct placement){access_place, &stream->access};
}

/* Gives a stream its windows and turns. */
static bool make_stream(struct attempt *attempt, uint64_t number)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const bool reads = sustained_reads(trial), mixed = sustained_mixed(trial);
    struct work *own = attempt->own;
    struct stream *stream = &own->streams[number];
    if (own->windows.threaded && !blocks_queue_make(&stream->queue, &stream->data, reads || mixed, 1, own->windows.count))
        return fail_errno(&attempt->failure, errno, "the data threads' queues cannot be allocated");
    stream->blocks = (struct blocks){
        .file = &stream->data,
        .pattern = &work_supply(attempt)->pattern,
        .size = trial->block,
        .reads = reads,
        .mixed = mixed,
        .queue = own->windows.threaded ? &stream->queue : NULL,
        .memory = attempt->workspace->buffers.mappings[number].data,
        .stride = own->windows.stride,
        .windows = own->windows.count,
    };
    stream->frames = (struct frames){
        .reads = reads,
        .size = trial->pace != PACE_RATE || mixed ? 0 : trial->layout == SUSTAINED_LAYOUT_SEQUENCE ? trial->file_bytes : trial->block,
        .rate = trial->rate_bytes_per_s,
        .streams = trial->streams,
    };
    stream->pace = (struct pace){
        .schedule = &own->schedule,
        .next = trial->pace == PACE_RATE ? number : 0,
        .stride = trial->streams,
    };
    make_access(attempt, stream);
    if (trial->engine == SUSTAINED_ENGINE_IO_URING)
        stream->flight = flight_make(trial->queue_depth, own->windows.count);
    return stream->flight || trial->engine == SUSTAINED_ENGINE_THREADS ||
           fail_errno(&attempt->failure, ENOMEM, "the operations in flight cannot be allocated");
}

static const char *call_of(const struct sustained_trial *trial)
{
    static const char *const calls[] = {"pwrite", "pread", "pread/pwrite"};
    return trial->engine == SUSTAINED_ENGINE_IO_URING ? "io_uring" : calls[trial->operation];
}

bool work_make_pool(struct attempt *attempt)
{
    struct work *own = attempt->own;
    struct threadpool *pool = &attempt->pool;
    for (uint64_t i = 0; i < own->count; i++)
        if (!make_stream(attempt, i))
            return false;
    if (!threadpool_make(pool, own->count))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = sustained_trial(attempt->trial)->engine == SUSTAINED_ENGINE_IO_URING ? flight_task() : stream_task();
    pool->own = own;
    pool->work_call = call_of(sustained_trial(attempt->trial));
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < own->count; i++) {
        pool->threads[i].own = &own->streams[i];
        own->streams[i].files.thread = &pool->threads[i];
        pool->threads[i].syncs = attempt->writes;
    }
    return true;
}

struct work *work_make(const struct attempt *attempt)
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
    own->standstill = own->schedule.standstill = attempt->workspace->standstill;
    backlog_rates_make(&own->rates, trial->backlog_rates, trial->backlog_rate_count);
    make_contents(attempt, own);
    return own;
}

void work_free(struct work *own)
{
    for (uint64_t i = 0; i < own->count; i++) {
        dataqueue_free(&own->streams[i].queue);
        flight_free(own->streams[i].flight);
    }
    marks_free(&own->marks);
    free(own->streams);
    free(own);
}
