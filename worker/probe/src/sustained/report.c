#include "sustained/report.h"

#include "histogram.h"
#include "sustained/flight.h"
#include "sustained/preparation.h"
#include "sustained/readback.h"
#include "sustained/stream.h"

#include <stdlib.h>

/* The longest operations that were abandoned: the result's line must not grow past the reader's limit. */
#define UNRETURNED_MOST 8192

void report_marks(struct attempt *attempt)
{
    struct work *own = attempt->own;
    const bool rate = own->schedule.pacing == PACE_RATE;
    struct mark *closed;
    const size_t count = marks_take(&own->marks, &closed);
    for (size_t i = 0; i < count; i++) {
        const struct mark *mark = &closed[i];
        struct text *line = attempt_event(attempt, "mark");
        json_open(line, "m", '[');
        json_uint(line, NULL, mark->end_ns - attempt->pool.started_ns);
        json_uint(line, NULL, mark->dt_ns);
        json_uint(line, NULL, mark->bytes);
        json_uint(line, NULL, mark->ops);
        json_uint(line, NULL, mark->latency_sum);
        json_uint(line, NULL, mark->latency_max);
        json_uint(line, NULL, mark->latency_p99);
        json_uint(line, NULL, mark->busy);
        json_known(line, NULL, rate ? (int64_t)mark->due_max : -1);
        json_known(line, NULL, rate ? (int64_t)mark->backlog : -1);
        json_close(line, ']');
        event_end(attempt->workspace->spool);
    }
    free(closed);
}

/* `histogram` is NULL where none is kept. */
static void timing_field(struct text *line, const char *name, const struct timing *timing, const uint64_t *histogram)
{
    json_open(line, name, '{');
    json_uint(line, "count", timing->count);
    json_uint(line, "sum_ns", timing->sum_ns);
    json_uint(line, "max_ns", timing->max_ns);
    if (histogram)
        histogram_field(line, "hist", histogram);
    json_close(line, '}');
}

static void backlog_field(struct text *line, const struct work *own, uint64_t started_ns)
{
    json_open(line, "backlogs", '[');
    for (uint64_t i = 0; i < own->rates.count; i++) {
        double most = 0, last = 0, largest = -1;
        uint64_t at_ns = started_ns;
        for (uint64_t j = 0; j < own->count; j++) {
            struct backlog *backlog = &own->streams[j].backlog;
            backlog_settle(backlog, &own->rates);
            most += backlog->most[i];
            last += backlog->now[i];
            if (backlog->most[i] <= largest)
                continue;
            largest = backlog->most[i];
            at_ns = backlog->most_ns[i] ? backlog->most_ns[i] : started_ns;
        }
        json_open(line, NULL, '[');
        json_uint(line, NULL, (uint64_t)own->rates.bytes_per_s[i]);
        json_uint(line, NULL, (uint64_t)most);
        json_uint(line, NULL, (uint64_t)last);
        json_uint(line, NULL, at_ns - started_ns);
        json_close(line, ']');
    }
    json_close(line, ']');
}

/* Frames of all streams: their drops are added, and the stream that needs the largest memory counts. */
static void frames_field(struct text *line, const struct work *own)
{
    uint64_t count = 0, needed = 0, at_end = 0;
    for (uint64_t i = 0; i < own->count; i++) {
        const uint64_t needs = frames_needed(&own->streams[i].frames);
        count += own->streams[i].frames.count;
        needed = needs > needed ? needs : needed;
        const uint64_t last = frames_needed_at_end(&own->streams[i].frames);
        at_end = last > at_end ? last : at_end;
    }
    if (count == 0) {
        json_null(line, "frames");
        return;
    }
    json_open(line, "frames", '{');
    json_uint(line, "bytes", own->streams[0].frames.size);
    json_uint(line, "count", count);
    json_uint(line, "needed", needed);
    json_uint(line, "needed_at_end", at_end);
    json_open(line, "dropped", '[');
    for (int i = 0; i < FRAME_MEMORIES; i++) {
        uint64_t dropped = 0;
        for (uint64_t j = 0; j < own->count; j++)
            dropped += own->streams[j].frames.memories[i].dropped;
        json_open(line, NULL, '[');
        json_uint(line, NULL, 1ull << i);
        json_uint(line, NULL, dropped);
        json_close(line, ']');
    }
    json_close(line, ']');
    json_close(line, '}');
}

/* The slowest operations of all streams, of which each has kept its own. */
static void slowest_field(struct text *line, const struct work *own, uint64_t started_ns)
{
    struct slowest slowest = {0};
    for (uint64_t i = 0; i < own->count; i++)
        for (uint64_t j = 0; j < own->streams[i].slowest.count; j++)
            slowest_add(&slowest, &own->streams[i].slowest.heap[j]);
    slowest_sort(&slowest);
    json_open(line, "slowest", '[');
    for (uint64_t i = 0; i < slowest.count; i++) {
        const struct slow_operation *operation = &slowest.heap[i];
        json_open(line, NULL, '[');
        json_uint(line, NULL, operation->latency_ns);
        json_uint(line, NULL, operation->end_ns - started_ns);
        json_uint(line, NULL, operation->offset);
        json_uint(line, NULL, operation->stream);
        json_close(line, ']');
    }
    json_close(line, ']');
}

/* The figures that streams keep apart, together. */
struct totals {
    uint64_t ramp_ops, ramp_bytes, due_max, due_unfinished, asleep_ns;
    struct timing create, close, sync;
    uint64_t histogram[HISTOGRAM_STEPS], due_histogram[HISTOGRAM_STEPS], sync_histogram[HISTOGRAM_STEPS];
};

static void sum_streams(const struct work *own, struct totals *totals)
{
    *totals = (struct totals){0};
    for (uint64_t i = 0; i < own->count; i++) {
        const struct stream *stream = &own->streams[i];
        totals->ramp_ops += stream->ramp_ops;
        totals->ramp_bytes += stream->ramp_bytes;
        totals->due_max = stream->due_max > totals->due_max ? stream->due_max : totals->due_max;
        totals->due_unfinished += stream->due_unfinished;
        totals->asleep_ns += stream->pace.asleep_ns;
        timing_merge(&totals->create, &stream->files.create);
        timing_merge(&totals->close, &stream->files.close);
        timing_merge(&totals->sync, &stream->files.sync);
        for (int step = 0; step < HISTOGRAM_STEPS; step++) {
            totals->histogram[step] += stream->histogram[step];
            totals->due_histogram[step] += stream->due_histogram[step];
            totals->sync_histogram[step] += stream->files.sync_histogram[step];
        }
    }
}

static void schedule_fields(struct text *line, const struct work *own, const struct totals *totals)
{
    const bool rate = own->schedule.pacing == PACE_RATE;
    const uint64_t at_end = atomic_load(&own->backlog_end);
    if (rate)
        histogram_field(line, "due_hist", totals->due_histogram);
    else
        json_null(line, "due_hist");
    json_known(line, "due_max_ns", rate ? (int64_t)totals->due_max : -1);
    json_known(line, "due_unfinished", rate ? (int64_t)totals->due_unfinished : -1);
    json_known(line, "backlog_max_bytes", rate ? (int64_t)atomic_load(&own->backlog_max) : -1);
    json_known(line, "backlog_end_bytes", rate && at_end != UINT64_MAX ? (int64_t)at_end : -1);
}

static void merge_direction(struct direction *sum, const struct direction *direction)
{
    if (direction->ops == 0)
        return;
    sum->latency_min = sum->ops && sum->latency_min < direction->latency_min ? sum->latency_min : direction->latency_min;
    sum->latency_max = direction->latency_max > sum->latency_max ? direction->latency_max : sum->latency_max;
    sum->due_max = direction->due_max > sum->due_max ? direction->due_max : sum->due_max;
    sum->ops += direction->ops;
    sum->bytes += direction->bytes;
    sum->latency_sum += direction->latency_sum;
    for (int step = 0; step < HISTOGRAM_STEPS; step++) {
        sum->histogram[step] += direction->histogram[step];
        sum->due_histogram[step] += direction->due_histogram[step];
    }
}

static void direction_field(struct text *line, const char *name, const struct work *own, bool reads)
{
    static struct direction sum; /* static, because it has 36 kB; there is one trial at a time */
    const bool rate = own->schedule.pacing == PACE_RATE;
    sum = (struct direction){0};
    for (uint64_t i = 0; i < own->count; i++)
        merge_direction(&sum, reads ? &own->streams[i].read : &own->streams[i].write);
    json_open(line, name, '{');
    json_uint(line, "ops", sum.ops);
    json_uint(line, "bytes", sum.bytes);
    json_uint(line, "lat_sum_ns", sum.latency_sum);
    json_known(line, "lat_min_ns", sum.ops ? (int64_t)sum.latency_min : -1);
    json_known(line, "lat_max_ns", sum.ops ? (int64_t)sum.latency_max : -1);
    histogram_field(line, "hist", sum.histogram);
    if (rate)
        histogram_field(line, "due_hist", sum.due_histogram);
    else
        json_null(line, "due_hist");
    json_known(line, "due_max_ns", rate && sum.ops ? (int64_t)sum.due_max : -1);
    json_close(line, '}');
}

static void directions_field(struct text *line, const struct work *own, bool mixed)
{
    if (!mixed) {
        json_null(line, "directions");
        return;
    }
    json_open(line, "directions", '{');
    direction_field(line, "read", own, true);
    direction_field(line, "write", own, false);
    json_close(line, '}');
}

static int longer_first(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a < b) - (a > b);
}

static void unreturned_field(struct text *line, const struct work *own)
{
    static uint64_t taken[SUSTAINED_STREAMS_MOST * SUSTAINED_QUEUE_DEPTH_MOST]; /* static, because it has 128 kB; there is one trial at a time */
    uint64_t count = 0;
    for (uint64_t i = 0; own->abandoned_ns && i < own->count; i++) {
        const struct stream *stream = &own->streams[i];
        if (stream->flight)
            count += flight_unreturned(stream, own->abandoned_ns, &taken[count]);
        else if (stream->unreturned_ns)
            taken[count++] = stream->unreturned_ns;
    }
    qsort(taken, count, sizeof *taken, longer_first);
    json_open(line, "unreturned", '[');
    for (uint64_t i = 0; i < count && i < UNRETURNED_MOST; i++)
        json_uint(line, NULL, taken[i]);
    json_close(line, ']');
}

void report_detail(struct attempt *attempt, struct text *line)
{
    static struct totals totals; /* static, because it has 54 kB; there is one trial at a time */
    const struct work *own = attempt->own;
    const uint64_t started_ns = attempt->pool.started_ns;
    sum_streams(own, &totals);
    json_uint(line, "block", own->schedule.block);
    json_uint(line, "mark_bytes", own->marks.size);
    json_uint(line, "footprint_bytes", attempt->working_set);
    json_uint(line, "ramp_ns", own->ramp_ns);
    json_uint(line, "ramp_ops", totals.ramp_ops);
    json_uint(line, "ramp_bytes", totals.ramp_bytes);
    json_uint(line, "asleep_ns", totals.asleep_ns);
    json_uint(line, "stood_still_ns", own->still_ns);
    histogram_field(line, "hist", totals.histogram);
    schedule_fields(line, own, &totals);
    directions_field(line, own, attempt->mixed);
    backlog_field(line, own, started_ns);
    frames_field(line, own);
    slowest_field(line, own, started_ns);
    unreturned_field(line, own);
    json_open(line, "files", '{');
    timing_field(line, "create", &totals.create, NULL);
    timing_field(line, "close", &totals.close, NULL);
    json_close(line, '}');
    timing_field(line, "syncs", &totals.sync, totals.sync_histogram);
    preparation_field(line, &own->prepared);
    readback_field(line, &own->verified);
}
