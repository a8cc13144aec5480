#include "measure.h"

#include "clock.h"
#include "host.h"
#include "residency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define RESIDENCY_BYTES (64ull << 20)
#define LOW_MEMORY (64ull << 20)

const char *const sync_names[] = {"none", "complete", "bounded"};
static const char *const phase_calls[] = {[PHASE_WRITE] = "pwrite", [PHASE_SYNC] = "fdatasync", [PHASE_READ] = "pread"};

static uint64_t bytes_done(const struct measurement *measurement)
{
    uint64_t ops = 0;
    for (uint64_t i = 0; i < measurement->crew->count; i++)
        ops += lane_tally(&measurement->crew->lanes[i]).ops;
    return ops * measurement->trial->block;
}

/* Some file systems accept O_DIRECT and buffer it all the same: the first file's beginning
 * is looked up in the page cache once 64 MiB of it were moved, or when the trial has ended. A
 * read's files were dropped from it before. */
static void look_at_residency(struct measurement *measurement)
{
    struct stat found;
    int file = measurement->files[0].file;
    if (measurement->residency_done || measurement->trial->cache != CACHE_DIRECT || fstat(file, &found) != 0)
        return;
    measurement->residency_done = true;
    uint64_t size = (uint64_t)found.st_size, moved = bytes_done(measurement) / measurement->trial->files;
    size = size < moved ? size : moved; /* an allocated file's rest is in no cache in any case */
    if (!residency_count(file, size < RESIDENCY_BYTES ? size : RESIDENCY_BYTES, &measurement->resident_checked,
                         &measurement->resident_pages))
        return;
    if (measurement->resident_pages * 10 <= measurement->resident_checked)
        return;
    struct text *line = notice_begin(&measurement->run->spool, "direct_buffered",
                                     "the file system accepted O_DIRECT, yet what was moved is in the page cache: this "
                                     "trial did not bypass it");
    json_uint(line, "trial", measurement->trial->id);
    json_uint(line, "resident_pages", measurement->resident_pages);
    json_uint(line, "resident_checked", measurement->resident_checked);
    event_end(&measurement->run->spool);
}

static void tell_to_stop(struct measurement *measurement, uint64_t now)
{
    if (measurement->stopped_ns != 0)
        return;
    atomic_store(&measurement->crew->stop, true);
    measurement->stopped_ns = now;
}

static uint64_t past(uint64_t moment, uint64_t now)
{
    return moment != 0 && now > moment ? now - moment : 0;
}

static void note_interruption(struct measurement *measurement, enum phase phase, uint64_t late)
{
    measurement->interrupts = true;
    struct text *line = notice_begin(&measurement->run->spool, "interrupted",
                                     "a call was still in the kernel well after its trial's limit and was interrupted: the "
                                     "trial took longer than its limit");
    json_uint(line, "trial", measurement->trial->id);
    json_string(line, "call", phase_calls[phase]);
    json_uint(line, "ns", late);
    event_end(&measurement->run->spool);
}

/* Interrupts calls that outlive a stop or their limit; false once they are given up. */
static bool has_patience(struct measurement *measurement, enum phase phase, uint64_t now)
{
    uint64_t stopped = past(measurement->stopped_ns, now), due = past(measurement->due_ns, now);
    uint64_t late = stopped > due ? stopped : due;
    if (late <= INTERRUPT_NS)
        return true;
    atomic_store(&measurement->crew->stop, true);
    crew_interrupt(measurement->crew);
    if (!measurement->interrupts && measurement->stopped_ns == 0)
        note_interruption(measurement, phase, late);
    if (late <= measurement->run->plan.hang_ms * NS_PER_MS)
        return true;
    measurement->hung = phase_calls[phase];
    crew_abandon(measurement->crew);
    return false;
}

/* The evidence in words. */
static void disturbance_words(const struct measurement *measurement, char *text, size_t size)
{
    const struct evidence *seen = &measurement->evidence;
    if (measurement->disturbance == STARVED && seen->late_ns >= DISTURBANCE_LATE_NS)
        snprintf(text, size, "the probe waited %.3g s for a CPU", (double)seen->cpu_wait_ns / 1e9);
    else if (measurement->disturbance == STARVED)
        snprintf(text, size, "the test's threads waited %.3g s for CPUs that others used or a quota withheld",
                 (double)cpu_lost_ns(&measurement->cpu) / 1e9);
    else if (seen->slept_ns >= DISTURBANCE_SLEPT_NS)
        snprintf(text, size, "the machine was suspended for %.3g s", (double)seen->slept_ns / 1e9);
    else if (llabs(seen->wall_jump_ns) >= (int64_t)DISTURBANCE_WALL_NS)
        snprintf(text, size, "the wall clock jumped by %+.3g s: the machine was paused, or its clock was set",
                 (double)seen->wall_jump_ns / 1e9);
    else
        snprintf(text, size, "the probe did not run for %.3g s: its process or its machine was stopped",
                 (double)seen->paused_sum_ns / 1e9);
}

static void note_disturbance(struct measurement *measurement, enum disturbance found)
{
    struct spool *spool = &measurement->run->spool;
    char what[200], message[300];
    if (measurement->disturbance != UNDISTURBED || found == UNDISTURBED)
        return;
    measurement->disturbance = found;
    measurement->due_ns = 0; /* a call is late by its own time, not by that of a pause */
    if (measurement->stopped_ns != 0)
        measurement->stopped_ns = clock_mono();
    disturbance_words(measurement, what, sizeof what);
    snprintf(message, sizeof message, "%s; this attempt does not count", what);
    struct text *line = found == SUSPENDED ? notice_begin(spool, "suspended", message)
                                           : notice_begin(spool, "starved", message);
    json_uint(line, "trial", measurement->trial->id);
    json_uint(line, "attempt", measurement->trial->attempt);
    event_end(spool);
}

static void look_for_disturbance(struct measurement *measurement)
{
    measurement->evidence = heartbeat_look(&measurement->run->heartbeat);
    note_disturbance(measurement, evidence_verdict(&measurement->evidence));
}

static void begin_disturbance(struct measurement *measurement)
{
    heartbeat_begin(&measurement->run->heartbeat);
    measurement->has_run_delay = crew_run_delay(measurement->crew, &measurement->run_delay_ns);
    measurement->cpu = (struct cpu_share){
        .threads = measurement->crew->count,
        .cpus = (uint64_t)host_cpus_allowed(),
        .used_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID),
        .run_delay_ns = measurement->run_delay_ns,
    };
    measurement->has_throttled = host_cpu_throttled(&measurement->throttled_ns);
}

/* What the crew got of the CPUs, now that its work is done. */
static void take_cpu_share(struct measurement *measurement, uint64_t end)
{
    struct cpu_share *cpu = &measurement->cpu;
    uint64_t run_delay = 0, throttled = 0;
    measurement->has_run_delay = measurement->has_run_delay && crew_run_delay(measurement->crew, &run_delay);
    cpu->duration_ns = end - measurement->crew->started_ns;
    cpu->used_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu->used_ns;
    cpu->run_delay_ns = measurement->has_run_delay ? run_delay - cpu->run_delay_ns : 0;
    measurement->has_throttled = measurement->has_throttled && host_cpu_throttled(&throttled);
    measurement->throttled_ns = throttled - measurement->throttled_ns;
}

/* The limits that hold while lanes work. */
static void look_at_limits(struct measurement *measurement, uint64_t now)
{
    struct run *run = measurement->run;
    struct failure *failure = measurement->failure;
    bool good = run_goes_on(run);
    look_for_disturbance(measurement);
    if (measurement->trial->kind == KIND_WRITE && !failure->code)
        good = good && run_has_space(run, 0, failure);
    uint64_t available = host_mem_available();
    if (available > 0 && available < LOW_MEMORY && !failure->code)
        fail(failure, "memory", 0, true, "only %" PRIu64 " bytes of the host's memory are available; the run ends to spare it",
             available);
    if (!good || failure->code || measurement->disturbance != UNDISTURBED)
        tell_to_stop(measurement, now);
    else if (!measurement->residency_done && bytes_done(measurement) / measurement->trial->files >= RESIDENCY_BYTES)
        look_at_residency(measurement);
}

/* Samples until the crew has done its present stage, or until `limit` when it is not 0.
 * `end` is when that was found. */
static bool sample_through(struct measurement *measurement, enum phase phase, uint64_t limit, uint64_t *end)
{
    uint64_t interval = measurement->run->plan.sample_ms * NS_PER_MS, next_look = clock_mono() + CHECK_NS;
    for (;;) {
        uint64_t until = measurement->next_sample < next_look ? measurement->next_sample : next_look;
        if (limit && limit < until)
            until = limit;
        uint64_t now;
        bool done = crew_wait(measurement->crew, until, &now);
        *end = now;
        if (done)
            return true;
        if (now >= measurement->next_sample) {
            sample_emit(measurement, phase, now);
            measurement->next_sample += (now - measurement->next_sample) / interval * interval + interval;
        }
        if (limit && now >= limit)
            return false;
        if (now >= next_look) {
            look_at_limits(measurement, now);
            if (!has_patience(measurement, phase, now))
                return false;
            next_look = now + CHECK_NS;
        }
    }
}

static void note_lane_failure(struct measurement *measurement)
{
    for (uint64_t i = 0; i < measurement->crew->count && !measurement->failure->code; i++) {
        const struct lane *lane = &measurement->crew->lanes[i];
        if (lane->error == EINVAL && measurement->trial->cache == CACHE_DIRECT)
            fail(measurement->failure, "misaligned", EINVAL, false,
                 "block=%" PRIu64 " is refused by the file system with O_DIRECT; use a multiple of its alignment",
                 measurement->trial->block);
        else if (lane->error && lane->error != EINTR) /* interrupted: what stopped it is the cause */
            fail_errno(measurement->failure, lane->error,
                       measurement->trial->kind == KIND_READ ? "reading failed" : "writing failed");
    }
}

/* Whether every file was synced. A sync that a stop interrupted is no failure of the storage. */
static bool check_syncs(struct measurement *measurement)
{
    bool synced = true;
    for (uint64_t i = 0; i < measurement->crew->count; i++) {
        int error = atomic_load(&measurement->crew->lanes[i].sync_error);
        bool interrupted = error == EINTR && measurement->stopped_ns != 0;
        synced = synced && error == 0;
        if (error && !interrupted && !measurement->failure->code)
            fail_errno(measurement->failure, error, "the final sync failed");
    }
    return synced;
}

/* The end of a stage, by the lanes' own clocks. A sample that was taken after a lane's last
 * return and before its report has moved the end to where that sample ended. */
static uint64_t stage_end(const struct measurement *measurement, uint64_t returned)
{
    return returned > measurement->sampled_ns ? returned : measurement->sampled_ns + 1;
}

/* The sync begins at once after the last operation; what was sampled by then follows. */
static void final_sync(struct measurement *measurement, uint64_t worked)
{
    struct crew *crew = measurement->crew;
    crew_sync(crew);
    sample_emit(measurement, PHASE_WRITE, worked);
    uint64_t end, limit = worked + measurement->trial->sync_timeout_ms * NS_PER_MS;
    bool done = sample_through(measurement, PHASE_SYNC, limit, &end);
    measurement->device_durable = counters_device(&measurement->run->counters);
    if (done) {
        uint64_t returned = 0;
        for (uint64_t i = 0; i < crew->count; i++)
            returned = crew->lanes[i].synced_ns > returned ? crew->lanes[i].synced_ns : returned;
        end = stage_end(measurement, returned);
    }
    if (check_syncs(measurement) && (done || measurement->stopped_ns == 0))
        measurement->sync = done ? SYNC_COMPLETE : SYNC_BOUNDED;
    measurement->durable_ns = end - crew->started_ns;
    sample_emit(measurement, PHASE_SYNC, end);
}

void measure(struct measurement *measurement)
{
    struct crew *crew = measurement->crew;
    const bool writes = measurement->trial->kind == KIND_WRITE;
    contention_begin(&measurement->contention, &measurement->run->counters, &measurement->run->processes);
    counters_begin_trial(&measurement->run->counters);
    counters_read(&measurement->run->counters, measurement->before);
    measurement->device_start = measurement->before->device;
    measurement->has_device = measurement->run->counters.device->source != COUNTER_NONE;
    begin_disturbance(measurement);
    crew_work(crew, measurement->trial->timeout_ms * NS_PER_MS);
    measurement->due_ns = crew->deadline_ns;
    sample_begin(measurement);
    uint64_t end, returned = crew->started_ns;
    sample_through(measurement, writes ? PHASE_WRITE : PHASE_READ, 0, &end);
    measurement->due_ns = 0;
    measurement->device_app = measurement->device_durable = counters_device(&measurement->run->counters);
    for (uint64_t i = 0; i < crew->count; i++) {
        const struct lane *lane = &crew->lanes[i];
        if (lane_tally(lane).ops && lane_last_end(lane) > returned)
            returned = lane_last_end(lane);
    }
    take_cpu_share(measurement, end);
    note_lane_failure(measurement);
    look_for_disturbance(measurement);
    measurement->whole =
        !measurement->failure->code && !measurement->hung && measurement->stopped_ns == 0 && run_goes_on(measurement->run);
    if (measurement->whole)
        returned = end = stage_end(measurement, returned);
    else if (measurement->hung)
        returned = end;
    measurement->app_ns = returned - crew->started_ns;
    if (writes && measurement->whole && measurement->disturbance == UNDISTURBED)
        final_sync(measurement, end);
    else
        sample_emit(measurement, writes ? PHASE_WRITE : PHASE_READ, end);
    if (measurement->hung) {
        measurement->contention.begun = false; /* it never ended, so nothing is known of it */
        return;
    }
    bool settled = measurement->whole && (!writes || measurement->sync == SYNC_COMPLETE);
    contention_end(&measurement->contention, &measurement->run->counters, &measurement->run->processes,
                   &measurement->device_start, bytes_done(measurement), settled);
    look_at_residency(measurement);
    look_for_disturbance(measurement);
    if (measurement->whole && cpu_starved(&measurement->cpu))
        note_disturbance(measurement, STARVED);
    if (measurement->disturbance != UNDISTURBED)
        measurement->sync = SYNC_NONE;
}

void measure_end(struct measurement *measurement)
{
    struct run *run = measurement->run;
    struct crew *crew = measurement->crew;
    uint64_t began = clock_mono(), told_ns = 0, now = began, due = began + CHECK_NS;
    crew_leave(crew);
    for (; !crew_gone(crew, due, &now); due = now + CHECK_NS) {
        began += stood_still_ns(due, now);
        uint64_t waited = now - began;
        run_goes_on(run); /* a stop that comes meanwhile is obeyed once the call has returned */
        if (waited <= INTERRUPT_NS)
            continue;
        crew_interrupt(crew);
        if (now - told_ns >= PROGRESS_NS) {
            run_progress(run, "waiting", phase_calls[PHASE_SYNC], 0, 0);
            told_ns = now;
        }
        if (waited > run->plan.hang_ms * NS_PER_MS)
            run_abandon(run, phase_calls[PHASE_SYNC], waited);
    }
    crew_end(crew);
}
