/* The transfer itself: the source's command runs, and the sink's directory grows. */
#include "observe/observation.h"

#include "clock.h"
#include "rundir.h"
#include "tree.h"

#include <errno.h>

#define SCAN_MS 20
#define SCAN_SHARE 20 /* looking takes at most this part of the time */
#define PATIENCE_MS 10000 /* for a daemon to write what it still has */
#define LIMIT_PATIENCE_MS 1000

static bool is_over(const struct thread *thread)
{
    return atomic_load(&thread->pool->stop) || atomic_load(&thread->pool->closed);
}

static void go_wrong(struct thread *thread, struct observation *observation, const char *problem)
{
    observation->problem = problem;
    thread_fail(thread, EPROTO);
}

/* Ends a command that has not ended by itself within the trial's limit. */
static void end_late(struct thread *thread, struct observation *observation)
{
    if (observation->main.running) {
        observation->main.limited = true;
        command_end(&observation->main, observation->mark, LIMIT_PATIENCE_MS);
    }
    go_wrong(thread, observation, "tool_timed_out");
}

static void run_source(struct thread *thread, struct observation *observation)
{
    struct command *command = &observation->main;
    struct failure *failure = &observation->attempt->failure;
    if (!command_start(command, "the source's command", observation->orders.main, observation->directory, observation->mark,
                       failure)) {
        go_wrong(thread, observation, failure->code);
        return;
    }
    while (command->running && !is_over(thread)) {
        command_look(command, SCAN_MS);
        if (command->running && clock_mono() >= thread->pool->deadline_ns) {
            end_late(thread, observation);
            return;
        }
    }
    if (command->running)
        command_end(command, observation->mark, LIMIT_PATIENCE_MS);
    else if (!command_good(command))
        go_wrong(thread, observation, "tool_failed");
    else
        observation->finished = true;
}

/* Looks how much is in the directory; what it grew by counts from the last look. */
static void scan(struct thread *thread, struct observation *observation, uint64_t *looked_ns)
{
    struct tree tree = {0};
    const uint64_t before = *looked_ns;
    if (observation->data < 0)
        return;
    tree_walk(&tree, observation->data);
    *looked_ns = clock_mono();
    if (tree.bytes <= observation->seen_bytes || atomic_load(&thread->pool->closed))
        return;
    meter_record(&thread->meter, before, *looked_ns, tree.bytes - observation->seen_bytes);
    observation->seen_bytes = tree.bytes;
    observation->arrived_ns = *looked_ns - thread->pool->started_ns;
}

static bool is_told(struct observation *observation)
{
    const struct attempt *attempt = observation->attempt;
    uint64_t at;
    if (!observation->told_ns &&
        rundir_released(attempt->workspace->limits.rundir, attempt->trial->position, &at) == RELEASE_FINISH)
        observation->told_ns = clock_mono() - attempt->pool.started_ns;
    return observation->told_ns != 0;
}

/* Whether the transfer is over: everything is there, or nothing has arrived for long enough. */
static bool has_arrived(const struct observation *observation, uint64_t now_ns)
{
    const struct observe_trial *trial = observation->trial;
    const uint64_t last = observation->arrived_ns > observation->told_ns ? observation->arrived_ns : observation->told_ns;
    return observation->seen_bytes >= trial->input_bytes || now_ns - last >= trial->quiet_ms * NS_PER_MS;
}

/* A daemon may still have data: it ends by itself, or politely, before the final sync. */
static void end_daemon(struct observation *observation, uint64_t patience_ms)
{
    command_end(&observation->main, observation->mark, patience_ms);
}

static void watch_sink(struct thread *thread, struct observation *observation)
{
    struct command *daemon = &observation->main;
    uint64_t looked_ns = clock_mono();
    while (!is_over(thread)) {
        const uint64_t began = clock_mono();
        const bool told = is_told(observation);
        scan(thread, observation, &looked_ns);
        const uint64_t now = clock_mono(), took = now - began;
        if (told && has_arrived(observation, now - thread->pool->started_ns))
            break;
        if (now >= thread->pool->deadline_ns) {
            end_late(thread, observation);
            return;
        }
        if (daemon->pid && !daemon->running && !command_good(daemon)) {
            go_wrong(thread, observation, "tool_failed");
            return;
        }
        const uint64_t rest = took * SCAN_SHARE > SCAN_MS * NS_PER_MS ? took * SCAN_SHARE : SCAN_MS * NS_PER_MS;
        if (daemon->running)
            command_look(daemon, SCAN_MS);
        for (const uint64_t until = now + rest; clock_mono() < until && !is_over(thread) && !is_told(observation);)
            clock_sleep(NS_PER_MS * SCAN_MS / 4);
    }
    end_daemon(observation, is_over(thread) ? LIMIT_PATIENCE_MS : PATIENCE_MS);
    scan(thread, observation, &looked_ns);
    observation->finished = !is_over(thread);
}

void perform(struct thread *thread)
{
    struct observation *observation = thread->own;
    meter_begin(&thread->meter, clock_mono());
    thread_enters(thread, "wait");
    if (observe_sends(observation->trial)) {
        run_source(thread, observation);
        observation->busy[1] = cpu_use();
    } else {
        watch_sink(thread, observation);
    }
}
