/* One sample: the difference of two snapshots, of the threads' meters and of the host's counters. */
#include "clock.h"
#include "columns.h"
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

static int64_t difference(uint64_t after, uint64_t before)
{
    return after > before ? (int64_t)(after - before) : 0; /* iowait and idle may step back */
}

static int64_t busiest_ticks(const struct snapshot *before, const struct snapshot *now)
{
    int64_t most = 0;
    for (int i = 0; i < now->cpus && i < before->cpus; i++) {
        int64_t busy = difference(now->busy_ticks[i], before->busy_ticks[i]);
        most = busy > most ? busy : most;
    }
    return most;
}

static void cpu_columns(const struct measurement *measurement, int64_t *column)
{
    const struct snapshot *before = measurement->before, *now = measurement->now;
    const int64_t tick_ns = (int64_t)measurement->instruments->counters.tick_ns;
    int64_t spent[CPU_TIMES];
    for (int time = 0; time < CPU_TIMES; time++)
        spent[time] = difference(now->cpu_ticks[time], before->cpu_ticks[time]) * tick_ns;
    column[COLUMN_HOST_DT_NS] = difference(now->read_ns, before->read_ns);
    column[COLUMN_CPU_USER_NS] = spent[CPU_USER] + spent[CPU_NICE];
    column[COLUMN_CPU_SYSTEM_NS] = spent[CPU_SYSTEM];
    column[COLUMN_CPU_SOFTIRQ_NS] = spent[CPU_IRQ] + spent[CPU_SOFTIRQ];
    column[COLUMN_CPU_IOWAIT_NS] = spent[CPU_IOWAIT];
    column[COLUMN_CPU_STEAL_NS] = spent[CPU_STEAL];
    column[COLUMN_CPU_IDLE_NS] = spent[CPU_IDLE];
    column[COLUMN_CPU_BUSIEST_NS] = busiest_ticks(before, now) * tick_ns;
}

static void host_columns(const struct measurement *measurement, int64_t *column)
{
    const struct snapshot *before = measurement->before, *now = measurement->now;
    const struct counters *counters = &measurement->instruments->counters;
    cpu_columns(measurement, column);
    column[COLUMN_MEM_AVAILABLE_BYTES] = (int64_t)now->mem_available;
    column[COLUMN_MEM_DIRTY_BYTES] = (int64_t)now->mem_dirty;
    column[COLUMN_MEM_WRITEBACK_BYTES] = (int64_t)now->mem_writeback;
    if (counters_device_counts(counters)) {
        column[COLUMN_DEV_READ_BYTES] = difference(now->device.read, before->device.read);
        column[COLUMN_DEV_WRITE_BYTES] = difference(now->device.written, before->device.written);
        if (devcounter_has_busy(counters->device))
            column[COLUMN_DEV_BUSY_NS] = difference(now->device.busy_ns, before->device.busy_ns);
    }
    if (devcounter_has_neighbors(counters->device)) {
        const struct neighbor_bytes moved = devcounter_neighbors(&before->device, &now->device);
        column[COLUMN_NEIGHBOR_READ_BYTES] = (int64_t)moved.read;
        column[COLUMN_NEIGHBOR_WRITE_BYTES] = (int64_t)moved.written;
    }
    column[COLUMN_NET_RX_BYTES] = difference(now->net_rx, before->net_rx);
    column[COLUMN_NET_TX_BYTES] = difference(now->net_tx, before->net_tx);
    if (counters->psi_cpu >= 0)
        column[COLUMN_PSI_CPU_SOME_NS] = difference(now->psi_cpu_some, before->psi_cpu_some);
    if (counters->psi_io >= 0) {
        column[COLUMN_PSI_IO_SOME_NS] = difference(now->psi_io_some, before->psi_io_some);
        column[COLUMN_PSI_IO_FULL_NS] = difference(now->psi_io_full, before->psi_io_full);
    }
    if (counters->psi_memory >= 0) {
        column[COLUMN_PSI_MEM_SOME_NS] = difference(now->psi_mem_some, before->psi_mem_some);
        column[COLUMN_PSI_MEM_FULL_NS] = difference(now->psi_mem_full, before->psi_mem_full);
    }
    if (counters->target >= 0)
        column[COLUMN_FS_FREE_BYTES] = (int64_t)now->fs_free;
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
        column[COLUMN_RUN_DELAY_NS] = difference(run_delay, measurement->run_delay_ns);
        measurement->run_delay_ns = run_delay;
    }
    host_columns(measurement, column);

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
