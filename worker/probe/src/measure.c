#include "measure.h"

#include "clock.h"
#include "host.h"
#include "residency.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#define RESIDENCY_BYTES (64ull << 20)
#define INTERRUPT_AFTER_NS (2 * NS_PER_S)
#define LOW_MEMORY (64ull << 20)

const char *const sync_names[] = {"none", "complete", "bounded"};

static uint64_t bytes_done(const struct measurement *measurement)
{
    uint64_t ops = 0;
    for (uint64_t i = 0; i < measurement->crew->count; i++)
        ops += lane_tally(&measurement->crew->lanes[i]).ops;
    return ops * measurement->trial->block;
}

/* Some file systems accept O_DIRECT and buffer it all the same: the first file's beginning
 * is looked up in the page cache once 64 MiB of it were written, or when the trial has ended. */
static void look_at_residency(struct measurement *measurement)
{
    struct stat found;
    int file = measurement->files[0].file;
    if (measurement->residency_done || measurement->trial->kind != KIND_WRITE ||
        measurement->trial->cache != CACHE_DIRECT || fstat(file, &found) != 0)
        return;
    measurement->residency_done = true;
    uint64_t size = (uint64_t)found.st_size, written = bytes_done(measurement) / measurement->trial->files;
    size = size < written ? size : written; /* an allocated file's rest is in no cache in any case */
    if (!residency_count(file, size < RESIDENCY_BYTES ? size : RESIDENCY_BYTES, &measurement->resident_checked,
                         &measurement->resident_pages))
        return;
    if (measurement->resident_pages * 10 <= measurement->resident_checked)
        return;
    struct text *line = notice_begin(&measurement->run->spool, "direct_buffered",
                                     "the file system accepted O_DIRECT, yet what was written is in the page cache: this "
                                     "trial did not bypass it");
    json_uint(line, "trial", measurement->trial->id);
    json_uint(line, "resident_pages", measurement->resident_pages);
    json_uint(line, "resident_checked", measurement->resident_checked);
    event_end(&measurement->run->spool);
}

static void tell_to_stop(struct measurement *measurement, uint64_t now)
{
    if (measurement->stopped_ns == 0) {
        atomic_store(&measurement->crew->stop, true);
        measurement->stopped_ns = now;
    } else if (now - measurement->stopped_ns > INTERRUPT_AFTER_NS) {
        crew_interrupt(measurement->crew);
    }
}

/* The limits that hold while lanes work. */
static void look_at_limits(struct measurement *measurement, uint64_t now)
{
    struct run *run = measurement->run;
    struct failure *failure = measurement->failure;
    bool good = run_goes_on(run);
    if (measurement->trial->kind == KIND_WRITE && !failure->code)
        good = good && run_has_space(run, 0, failure);
    uint64_t available = host_mem_available();
    if (available > 0 && available < LOW_MEMORY && !failure->code)
        fail(failure, "memory", 0, true, "only %" PRIu64 " bytes of the host's memory are available; the run ends to spare it",
             available);
    if (!good || failure->code)
        tell_to_stop(measurement, now);
    else if (!measurement->residency_done && bytes_done(measurement) / measurement->trial->files >= RESIDENCY_BYTES)
        look_at_residency(measurement);
}

/* Samples until the crew has done its present stage, or until `limit` when it is not 0. */
static bool sample_through(struct measurement *measurement, enum phase phase, uint64_t limit)
{
    uint64_t interval = measurement->run->plan.sample_ms * NS_PER_MS, next_look = clock_mono() + CHECK_NS;
    for (;;) {
        uint64_t until = measurement->next_sample < next_look ? measurement->next_sample : next_look;
        if (limit && limit < until)
            until = limit;
        if (crew_wait(measurement->crew, until))
            return true;
        uint64_t now = clock_mono();
        if (now >= measurement->next_sample) {
            sample_emit(measurement, phase, now);
            measurement->next_sample += (now - measurement->next_sample) / interval * interval + interval;
        }
        if (limit && now >= limit)
            return false;
        if (now >= next_look) {
            look_at_limits(measurement, now);
            next_look = now + CHECK_NS;
        }
    }
}

static void note_lane_failure(struct measurement *measurement)
{
    for (uint64_t i = 0; i < measurement->crew->count && !measurement->failure->code; i++) {
        const struct lane *lane = &measurement->crew->lanes[i];
        bool interrupted = lane->error == EINTR && measurement->stopped_ns != 0;
        if (lane->error == EINVAL && measurement->trial->cache == CACHE_DIRECT)
            fail(measurement->failure, "misaligned", EINVAL, false,
                 "block=%" PRIu64 " is refused by the file system with O_DIRECT; use a multiple of its alignment",
                 measurement->trial->block);
        else if (lane->error && !interrupted)
            fail_errno(measurement->failure, lane->error,
                       measurement->trial->kind == KIND_READ ? "reading failed" : "writing failed");
    }
}

static void note_sync_failure(struct measurement *measurement)
{
    for (uint64_t i = 0; i < measurement->crew->count && !measurement->failure->code; i++)
        if (measurement->crew->lanes[i].sync_error)
            fail_errno(measurement->failure, measurement->crew->lanes[i].sync_error, "the final sync failed");
}

/* The sync begins at once after the last operation; what was sampled by then follows. */
static void final_sync(struct measurement *measurement, uint64_t began)
{
    struct crew *crew = measurement->crew;
    crew_sync(crew);
    sample_emit(measurement, PHASE_WRITE, began);
    bool done = sample_through(measurement, PHASE_SYNC, began + measurement->trial->sync_timeout_ms * NS_PER_MS);
    uint64_t now = clock_mono();
    measurement->device_durable = counters_device(&measurement->run->counters);
    measurement->durable_ns = now - crew->started_ns;
    measurement->sync = done ? SYNC_COMPLETE : SYNC_BOUNDED;
    sample_emit(measurement, PHASE_SYNC, now);
    if (done)
        note_sync_failure(measurement);
}

void measure(struct measurement *measurement)
{
    struct crew *crew = measurement->crew;
    const bool writes = measurement->trial->kind == KIND_WRITE;
    counters_read(&measurement->run->counters, measurement->before);
    measurement->device_start = measurement->before->device;
    measurement->has_device = measurement->run->counters.device >= 0;
    crew_work(crew, measurement->trial->timeout_ms * NS_PER_MS);
    sample_begin(measurement);
    sample_through(measurement, writes ? PHASE_WRITE : PHASE_READ, 0);
    uint64_t worked = clock_mono();
    measurement->device_app = measurement->device_durable = counters_device(&measurement->run->counters);
    for (uint64_t i = 0; i < crew->count; i++) {
        const struct lane *lane = &crew->lanes[i];
        uint64_t took = lane_tally(lane).ops ? lane->last_end - crew->started_ns : 0;
        measurement->app_ns = took > measurement->app_ns ? took : measurement->app_ns;
    }
    note_lane_failure(measurement);
    if (writes && !measurement->failure->code && measurement->stopped_ns == 0)
        final_sync(measurement, worked);
    else
        sample_emit(measurement, writes ? PHASE_WRITE : PHASE_READ, worked);
    look_at_residency(measurement);
}
