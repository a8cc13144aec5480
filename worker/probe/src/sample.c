/* One sample: the difference of two snapshots, of the threads' meters and of the host's counters. */
#include "clock.h"
#include "columns.h"
#include "counters.h"
#include "measure.h"

#include <string.h>

#define ABSENT INT64_MIN

static struct interval take_interval(struct measurement *measurement, uint64_t now)
{
    struct interval interval = {.low = UINT64_MAX};
    struct threadpool *pool = &measurement->attempt->pool;
    for (uint64_t i = 0; i < pool->count; i++)
        meter_take(&pool->threads[i].meter, &measurement->tallies[i], now, &interval);
    return interval;
}

void sample_begin(struct measurement *measurement)
{
    memset(measurement->tallies, 0, sizeof measurement->tallies);
    measurement->sampled_ns = measurement->attempt->pool.started_ns;
    measurement->next_sample = measurement->sampled_ns + measurement->attempt->workspace->plan->sample_ms * NS_PER_MS;
}

void sample_emit(struct measurement *measurement, enum phase phase, uint64_t now)
{
    if (now <= measurement->sampled_ns)
        return;
    int64_t column[COLUMN_COUNT];
    for (int i = 0; i < COLUMN_COUNT; i++)
        column[i] = ABSENT;
    struct interval interval = take_interval(measurement, now);
    counters_read(&measurement->instruments->counters, measurement->now);
    column[COLUMN_PHASE] = phase;
    column[COLUMN_END_NS] = (int64_t)(now - measurement->attempt->pool.started_ns);
    column[COLUMN_DT_NS] = (int64_t)(now - measurement->sampled_ns);
    column[COLUMN_OPS] = (int64_t)interval.ops;
    column[COLUMN_BYTES] = (int64_t)interval.bytes;
    column[COLUMN_LAT_SUM_NS] = (int64_t)interval.latency_sum;
    column[COLUMN_LAT_MIN_NS] = interval.ops ? (int64_t)interval.low : ABSENT;
    column[COLUMN_LAT_MAX_NS] = (int64_t)interval.peak;
    column[COLUMN_OLDEST_NS] = (int64_t)interval.oldest;
    if (measurement->attempt->mixed) {
        column[COLUMN_READ_OPS] = (int64_t)interval.read_ops;
        column[COLUMN_READ_BYTES] = (int64_t)interval.read_bytes;
    }
    column[COLUMN_LATE_NS] = (int64_t)heartbeat_take_late(&measurement->instruments->heartbeat);
    uint64_t run_delay;
    if (measurement->has_run_delay && threadpool_run_delay(&measurement->attempt->pool, &run_delay)) {
        column[COLUMN_RUN_DELAY_NS] = counters_difference(run_delay, measurement->run_delay_ns);
        measurement->run_delay_ns = run_delay;
    }
    counters_columns(&measurement->instruments->counters, measurement->before, measurement->now, column);

    struct text *line = event_begin(measurement->attempt->workspace->spool, "sample");
    json_uint(line, "trial", measurement->attempt->trial->position);
    json_uint(line, "attempt", measurement->attempt->trial->attempt);
    json_open(line, "s", '[');
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (column[i] == ABSENT)
            json_null(line, NULL);
        else
            json_int(line, NULL, column[i]);
    json_close(line, ']');
    event_end(measurement->attempt->workspace->spool);

    if (measurement->job->sampled)
        measurement->job->sampled(measurement->attempt, now);
    struct snapshot *before = measurement->before;
    measurement->before = measurement->now;
    measurement->now = before;
    measurement->sampled_ns = now;
}
