/* Disturbances of an attempt by a cause other than the storage. They void the attempt, unless its
 * job goes on: then they are gaps, which are reported and say nothing about the storage. */
#include "cgroup.h"
#include "clock.h"
#include "host.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cpu_share cpu_counters(const struct measurement *measurement)
{
    struct cpu_share now = {
        .threads = measurement->attempt->pool.count,
        .cpus = (uint64_t)host_cpus_allowed(),
        .used_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID),
    };
    threadpool_run_delay(&measurement->attempt->pool, &now.run_delay_ns);
    return now;
}

static struct cpu_share cpu_since(const struct measurement *measurement, const struct cpu_share *before, uint64_t duration_ns)
{
    struct cpu_share since = cpu_counters(measurement);
    since.duration_ns = duration_ns;
    since.used_ns -= before->used_ns;
    since.run_delay_ns = measurement->has_run_delay ? since.run_delay_ns - before->run_delay_ns : 0;
    return since;
}

/* The evidence as text. */
static void put_words(enum disturbance found, const struct evidence *seen, const struct cpu_share *cpu, char *text,
                      size_t size)
{
    if (found == STARVED && evidence_verdict(seen) == STARVED)
        snprintf(text, size, "the probe waited %.3g s for a CPU", (double)seen->cpu_wait_ns / 1e9);
    else if (found == STARVED)
        snprintf(text, size, "the test's threads waited %.3g s for CPUs used by other processes or withheld by a quota",
                 (double)cpu_lost_ns(cpu) / 1e9);
    else if (seen->slept_ns >= DISTURBANCE_SLEPT_NS)
        snprintf(text, size, "the machine was suspended for %.3g s", (double)seen->slept_ns / 1e9);
    else if (llabs(seen->wall_jump_ns) >= (int64_t)DISTURBANCE_WALL_NS)
        snprintf(text, size, "the wall clock jumped by %+.3g s: the machine was paused, or its clock was set",
                 (double)seen->wall_jump_ns / 1e9);
    else
        snprintf(text, size, "the probe did not run for %.3g s: its process or its machine was stopped",
                 (double)seen->paused_sum_ns / 1e9);
}

static void name_attempt(struct text *line, const struct measurement *measurement)
{
    json_uint(line, "trial", measurement->attempt->trial->position);
    json_uint(line, "attempt", measurement->attempt->trial->attempt);
}

static void note_disturbance(struct measurement *measurement, enum disturbance found, const char *words)
{
    struct spool *spool = measurement->attempt->workspace->spool;
    char message[300];
    measurement->disturbance = found;
    measurement->due_ns = 0; /* a pause does not make a call overdue */
    if (measurement->stopped_ns != 0)
        measurement->stopped_ns = clock_mono();
    snprintf(message, sizeof message, "%s; this attempt does not count", words);
    struct text *line = found == SUSPENDED ? notice_begin(spool, "suspended", message)
                                           : notice_begin(spool, "starved", message);
    name_attempt(line, measurement);
    event_end(spool);
}

static void judge_attempt(struct measurement *measurement, enum disturbance found)
{
    char words[200];
    if (found == UNDISTURBED || measurement->disturbance != UNDISTURBED)
        return;
    put_words(found, &measurement->evidence, &measurement->cpu, words, sizeof words);
    note_disturbance(measurement, found, words);
}

/* Reports the open gap as far as it reaches, for the case that the probe dies before its end. */
static void tell_gap(struct measurement *measurement, uint64_t now)
{
    struct gaps *gaps = &measurement->gaps;
    struct spool *spool = measurement->attempt->workspace->spool;
    const uint64_t started = measurement->attempt->pool.started_ns;
    char message[300];
    snprintf(message, sizeof message, "%s; this stretch of the trial is not measured", gaps->words);
    struct text *line = notice_begin(spool, "gap", message);
    name_attempt(line, measurement);
    json_string(line, "what", disturbance_names[gaps->what]);
    json_uint(line, "from_ns", gaps->from_ns > started ? gaps->from_ns - started : 0);
    json_uint(line, "until_ns", gaps->until_ns - started);
    json_uint(line, "disturbances", gaps->joined);
    json_bool(line, "excluded", gaps->excluded);
    event_end(spool);
    gaps->told_ns = now;
    gaps->told_until_ns = gaps->until_ns;
}

static void close_gap(struct measurement *measurement, uint64_t now)
{
    struct gaps *gaps = &measurement->gaps;
    if (gaps->until_ns == 0)
        return;
    if (gaps->told_until_ns != gaps->until_ns)
        tell_gap(measurement, now);
    gaps->sum_ns += gaps->until_ns - gaps->from_ns;
    gaps->from_ns = gaps->until_ns = gaps->joined = gaps->told_ns = gaps->told_until_ns = 0;
}

/* Opens a gap, or extends the open one; calls are not overdue because of it, nor is the final
 * sync. */
static void add_gap(struct measurement *measurement, uint64_t from, uint64_t until)
{
    struct gaps *gaps = &measurement->gaps;
    if (gaps->until_ns == 0)
        gaps->from_ns = from;
    gaps->joined++;
    gaps->until_ns = until;
    if (measurement->due_ns != 0)
        measurement->due_ns += until - from;
    if (measurement->sync_limit_ns != 0)
        measurement->sync_limit_ns += until - from;
    if (measurement->stopped_ns != 0)
        measurement->stopped_ns = until;
}

/* What disturbed the window first; `from` is when that began. A lack of CPUs and short pauses
 * concern the whole window, an abrupt disturbance only what follows the last look. */
static enum disturbance judge_window(const struct gaps *gaps, const struct cpu_share *cpu, uint64_t *from, bool *abrupt)
{
    const enum disturbance found = cpu_starved(cpu) ? STARVED : evidence_verdict(&gaps->window);
    *abrupt = evidence_is_abrupt(&gaps->window) && !cpu_starved(cpu);
    *from = *abrupt ? gaps->looked_ns : gaps->window.began;
    return found;
}

/* `still`: the process stood still for as long as it lasted, which no operation's time includes. */
static void note_gap(struct measurement *measurement, enum disturbance found, bool still, const struct cpu_share *cpu,
                     uint64_t from, uint64_t until)
{
    struct gaps *gaps = &measurement->gaps;
    if (gaps->until_ns == 0) {
        put_words(found, &gaps->window, cpu, gaps->words, sizeof gaps->words);
        gaps->what = found;
        gaps->excluded = true;
    }
    gaps->excluded = gaps->excluded && still;
    add_gap(measurement, from, until);
}

/* `last`: the window ends, and is judged although it is shorter than others. */
static void look_for_gap(struct measurement *measurement, bool last)
{
    struct gaps *gaps = &measurement->gaps;
    const uint64_t before = clock_mono();
    const struct evidence seen = heartbeat_take(&measurement->instruments->heartbeat);
    const uint64_t now = clock_mono();
    uint64_t from = now;
    evidence_merge(&gaps->window, &seen);
    evidence_merge(&measurement->evidence, &seen);
    enum disturbance found = evidence_verdict(&gaps->window);
    const bool over = last || found != UNDISTURBED || now - gaps->window.began >= GAP_WINDOW_NS;
    if (over) {
        const struct cpu_share cpu = cpu_since(measurement, &gaps->window_cpu, now - gaps->window.began);
        bool abrupt;
        found = judge_window(gaps, &cpu, &from, &abrupt);
        if (found != UNDISTURBED)
            note_gap(measurement, found, abrupt && found == SUSPENDED, &cpu, from, now);
        gaps->window = (struct evidence){.began = now};
        gaps->window_cpu = cpu_counters(measurement);
    }
    if (found == UNDISTURBED && gaps->until_ns != 0 && now - gaps->until_ns >= GAP_JOIN_NS)
        close_gap(measurement, now);
    if (gaps->until_ns != gaps->told_until_ns && now - gaps->told_ns >= GAP_TELL_NS)
        tell_gap(measurement, now);
    gaps->looked_ns = before;
}

void disturbed_begin(struct measurement *measurement)
{
    heartbeat_begin(&measurement->instruments->heartbeat);
    measurement->has_run_delay = threadpool_run_delay(&measurement->attempt->pool, &measurement->run_delay_ns);
    measurement->cpu = cpu_counters(measurement);
    measurement->has_throttled = cgroup_cpu_throttled(&measurement->throttled_ns);
    measurement->gaps = (struct gaps){.looked_ns = clock_mono(), .window_cpu = measurement->cpu};
    measurement->gaps.window.began = measurement->gaps.looked_ns;
    measurement->evidence = measurement->gaps.window;
}

void disturbed_look(struct measurement *measurement)
{
    if (measurement->job->goes_on) {
        look_for_gap(measurement, false);
        return;
    }
    measurement->evidence = heartbeat_look(&measurement->instruments->heartbeat);
    const enum disturbance found = evidence_verdict(&measurement->evidence);
    if (found != STARVED || !measurement->job->bears_starvation)
        judge_attempt(measurement, found);
}

void disturbed_worked(struct measurement *measurement, uint64_t end)
{
    uint64_t throttled = 0, run_delay;
    measurement->has_run_delay =
        measurement->has_run_delay && threadpool_run_delay(&measurement->attempt->pool, &run_delay);
    measurement->cpu = cpu_since(measurement, &measurement->cpu, end - measurement->attempt->pool.started_ns);
    measurement->has_throttled = measurement->has_throttled && cgroup_cpu_throttled(&throttled);
    measurement->throttled_ns = throttled - measurement->throttled_ns;
    if (measurement->job->goes_on) /* the sync that follows would dilute a lack of CPUs */
        look_for_gap(measurement, true);
}

/* The attempt counts unless its gaps leave too little of it. */
static void judge_gaps(struct measurement *measurement)
{
    struct gaps *gaps = &measurement->gaps;
    const uint64_t took = clock_mono() - measurement->attempt->pool.started_ns;
    look_for_gap(measurement, true);
    close_gap(measurement, clock_mono());
    if (gaps->sum_ns >= took / 100 * GAPS_PERCENT)
        note_disturbance(measurement, gaps->what, gaps->words);
}

void disturbed_end(struct measurement *measurement)
{
    if (measurement->job->goes_on)
        judge_gaps(measurement);
    else
        disturbed_look(measurement);
    if (measurement->whole && !measurement->job->bears_starvation && cpu_starved(&measurement->cpu))
        judge_attempt(measurement, STARVED);
}
