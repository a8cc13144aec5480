/* The job `tool`: another program moves an input from the source's directory to the sink's. The
 * probes prepare the input and start the commands at the agreed time; the sink's one watches its
 * directory, syncs it, and compares what arrived. */
#include "job.h"
#include "observe/elsewhere.h"
#include "observe/observation.h"

#include "clock.h"
#include "host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct observe_state {
    struct pattern pattern;
    uint64_t seed;
    int rundir;
};

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static struct observe_state own;
    own.seed = input_seed(workspace->plan->token);
    own.rundir = workspace->limits.rundir;
    *state = &own;
    return pattern_make_again(&own.pattern, workspace->plan->pool_bytes, own.seed) ||
           fail_errno(failure, errno, "the test data's pool cannot be allocated");
}

static void clear(void *state)
{
    const struct observe_state *own = state;
    unlinkat(own->rundir, ORDERS_NAME, 0);
}

static void end(void *state)
{
    struct observe_state *own = state;
    pattern_free(&own->pattern);
}

static bool path_of(int directory, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    const ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool make_directories(struct observation *observation)
{
    const struct workdir *workdir = &observation->attempt->workspace->workdir;
    struct failure *failure = &observation->attempt->failure;
    observation->data = workdir_directory(workdir, DATA_DIRECTORY);
    observation->scratch = observation->data < 0 ? -1 : workdir_directory(workdir, SCRATCH_DIRECTORY);
    if (observation->scratch < 0)
        return fail_errno(failure, errno, "a directory for the tool cannot be created in the test directory");
    return path_of(observation->data, observation->directory, sizeof observation->directory) ||
           fail_errno(failure, errno, "the path of the test directory cannot be read");
}

/* Called by an errand. */
static bool prepare_disk(void *argument)
{
    struct observation *observation = argument;
    struct attempt *attempt = observation->attempt;
    struct workspace *workspace = attempt->workspace;
    attempt_settle(attempt);
    if (!errand_calls(&workspace->errand, "stat") || !target_holds(&workspace->target, &attempt->failure) ||
        !limits_space(&workspace->limits, observe_trial(attempt->trial)->input_bytes, &attempt->failure) ||
        !errand_calls(&workspace->errand, "mkdir") || !make_directories(observation))
        return false;
    return !observe_sends(observation->trial) || input_write(&observation->input, attempt, observation->data);
}

static int sync_all(struct thread *thread)
{
    struct observation *observation = thread->own;
    const uint64_t began = clock_mono();
    const int error = syncfs(observation->data) == 0 ? 0 : errno;
    observation->sync_ns = clock_mono() - began;
    observation->synced = error == 0;
    observation->busy[1] = cpu_use();
    return error;
}

/* The clock has started. */
static void start_clock(struct threadpool *pool)
{
    struct observation *observation = pool->own;
    card_read(&observation->card, &observation->card_start);
    observation->busy[0] = cpu_use();
}

static void complete_work(struct thread *thread)
{
    struct observation *observation = thread->own;
    card_read(&observation->card, &observation->card_end);
    observation->busy[1] = cpu_use();
}

static int prepare_thread(struct thread *thread)
{
    (void)thread;
    return 0;
}

static bool make_pool(struct observation *observation)
{
    struct threadpool *pool = &observation->attempt->pool;
    if (!threadpool_make(pool, 1))
        return fail_errno(&observation->attempt->failure, errno, "the thread's counters cannot be allocated");
    pool->task = (struct task){
        .begin = start_clock, .prepare = prepare_thread, .work = perform, .complete = complete_work, .sync = sync_all};
    pool->own = observation;
    pool->work_call = "wait";
    pool->sync_call = "syncfs";
    pool->threads[0].own = observation;
    pool->threads[0].syncs = observation->attempt->writes;
    return true;
}

static bool prepare(struct attempt *attempt)
{
    const struct observe_trial *trial = observe_trial(attempt->trial);
    struct observe_state *state = attempt->state;
    struct observation *observation = calloc(1, sizeof *observation);
    attempt->own = observation;
    if (!observation)
        return fail_errno(&attempt->failure, ENOMEM, "the trial's state cannot be allocated");
    *observation = (struct observation){
        .trial = trial,
        .attempt = attempt,
        .input = input_of(trial, &state->pattern, state->seed),
        .data = -1,
        .scratch = -1,
        .main = {.output = -1, .errors = -1},
        .used_before = -1,
        .elsewhere_bytes = -1,
    };
    if (!path_of(state->rundir, observation->mark, sizeof observation->mark))
        return fail_errno(&attempt->failure, errno, "the path of the run directory cannot be read");
    memcpy(observation->directory, observation->mark, sizeof observation->directory);
    attempt->writes = observe_has_input(trial) && !observe_sends(trial);
    if (observe_has_input(trial) &&
        !errand_run(&attempt->workspace->errand, ERRAND_PREPARING, observe_sends(trial) ? trial->input_bytes : 0,
                    prepare_disk, observation))
        return false;
    return rehearse(observation) && make_pool(observation);
}

static void look(struct attempt *attempt, bool over)
{
    (void)attempt;
    (void)over;
}

static void explain(struct attempt *attempt, int error)
{
    const struct observation *observation = attempt->own;
    if (attempt->failure.code)
        return;
    if (observation->problem && observation->main.pid)
        command_fail(&observation->main, observation->problem, &attempt->failure);
    else if (observation->problem)
        fail(&attempt->failure, observation->problem, 0, false,
             "the sink still received data when the trial's time limit ended; raise the limit");
    else
        fail_errno(&attempt->failure, error, "observing the tool failed");
}

/* Called by an errand. */
static bool compare(void *argument)
{
    struct observation *observation = argument;
    elsewhere_end(observation);
    return arrival_check(&observation->arrival, &observation->input, observation->attempt, observation->data);
}

static void conclude(struct attempt *attempt)
{
    struct observation *observation = attempt->own;
    if (!observation)
        return;
    const uint64_t total = observe_trial(attempt->trial)->input_bytes;
    attempt->complete = attempt->started && observation->finished;
    attempt->working_set = total ? total : 1;
    attempt->findings.first_read_bytes = observe_has_input(observation->trial) && observe_sends(observation->trial) ? (int64_t)total : -1;
    if (!attempt->writes || !attempt->complete || !observation->synced)
        return;
    errand_run(&attempt->workspace->errand, ERRAND_PREPARING, total, compare, observation);
    attempt->unchecked = !observation->arrival.checked;
    attempt->complete = !attempt->unchecked;
}

static void network_fields(struct text *line, const struct observation *observation)
{
    const struct card *card = &observation->card;
    const struct card_counters *start = &observation->card_start, *end = &observation->card_end;
    if (card->name[0]) {
        json_open(line, "card", '{');
        card_fields(line, card);
        json_close(line, '}');
    } else {
        json_null(line, "card");
    }
    card_counter_field(line, "card_rx_bytes", end->has_card, end->rx_bytes, start->rx_bytes);
    card_counter_field(line, "card_tx_bytes", end->has_card, end->tx_bytes, start->tx_bytes);
}

static void arrival_field(struct text *line, const struct arrival *arrival)
{
    if (!arrival->checked) {
        json_null(line, "arrived");
        return;
    }
    json_open(line, "arrived", '{');
    json_uint(line, "intact", arrival->intact);
    json_uint(line, "intact_bytes", arrival->intact_bytes);
    json_uint(line, "missing", arrival->missing);
    json_uint(line, "incomplete", arrival->incomplete);
    json_uint(line, "wrong", arrival->wrong);
    json_uint(line, "duplicate", arrival->duplicate);
    json_uint(line, "unexpected", arrival->unexpected);
    json_string(line, "unexpected_name", arrival->unexpected ? arrival->unexpected_name : NULL);
    json_close(line, '}');
}

static void use_fields(struct text *line, const struct observation *observation)
{
    const struct cpu_use *idle = observation->idle, *busy = observation->busy;
    json_int(line, "cpus", host_cpus());
    json_uint(line, "idle_busy_ns", idle[1].busy_ns - idle[0].busy_ns);
    json_uint(line, "idle_window_ns", idle[1].at_ns - idle[0].at_ns);
    json_uint(line, "busy_ns", busy[1].busy_ns > busy[0].busy_ns ? busy[1].busy_ns - busy[0].busy_ns : 0);
    json_uint(line, "busy_window_ns", busy[1].at_ns > busy[0].at_ns ? busy[1].at_ns - busy[0].at_ns : 0);
}

static void detail(struct attempt *attempt, struct text *line)
{
    const struct observation *observation = attempt->own;
    json_string(line, "side", observe_sends(observation->trial) ? "source" : "sink");
    json_uint(line, "input_bytes", observe_trial(attempt->trial)->input_bytes);
    command_field(line, &observation->main);
    json_known(line, "arrived_ns", observation->arrived_ns ? (int64_t)observation->arrived_ns : -1);
    json_known(line, "told_ns", observation->told_ns ? (int64_t)observation->told_ns : -1);
    json_known(line, "sync_ns", observation->synced ? (int64_t)observation->sync_ns : -1);
    arrival_field(line, &observation->arrival);
    json_known(line, "elsewhere_bytes", observation->elsewhere_bytes);
    use_fields(line, observation);
    network_fields(line, observation);
}

/* Called by an errand. */
static bool remove_disk(void *argument)
{
    struct observation *observation = argument;
    struct workspace *workspace = observation->attempt->workspace;
    workspace->settling.removed_bytes += observation->trial->input_bytes;
    if (observation->data >= 0)
        close(observation->data);
    if (observation->scratch >= 0)
        close(observation->scratch);
    const bool good = workdir_discard_directory(&workspace->workdir, DATA_DIRECTORY);
    return workdir_discard_directory(&workspace->workdir, SCRATCH_DIRECTORY) && good;
}

static void release(struct attempt *attempt)
{
    struct observation *observation = attempt->own;
    if (!observation)
        return;
    clear_up(observation);
    if (observe_has_input(observation->trial))
        errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, remove_disk, observation);
    free(observation);
    attempt->own = NULL;
}

const struct job observe_job = {
    .type = OBSERVE_TYPE,
    .bears_starvation = true,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .detail = detail,
    .release = release,
};
