/* The time before the start: the meeting of both ends through the worker, the check of what the tool
 * needs, and a daemon at the sink that is ready. */
#include "observe/elsewhere.h"
#include "observe/observation.h"

#include "clock.h"
#include "host.h"
#include "rundir.h"
#include "tree.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS (20 * NS_PER_MS)
#define CHECK_MS 30000    /* limit of the check and the clean-up */
#define READY_MS 120000   /* limit of the daemon's start: a few programs in Java, one after the other */
#define IDLE_NS NS_PER_S  /* for how long the host's own use of CPUs is observed */
#define LISTEN_STATE 0x0A /* of a socket in /proc/net/tcp */

static struct limits *limits_of(const struct observation *observation)
{
    return &observation->attempt->workspace->limits;
}

static bool goes_on(const struct observation *observation)
{
    return limits_hold(limits_of(observation)) && !limits_aborted(limits_of(observation));
}

/* A port that is free at this moment; 0 with errno. */
static uint64_t free_port(void)
{
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    struct sockaddr_in any4 = {.sin_family = AF_INET};
    socklen_t size = sizeof any;
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = made >= 0 && bind(made, (struct sockaddr *)&any, sizeof any) == 0;
    if (!good) { /* without IPv6 */
        if (made >= 0)
            close(made);
        made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        good = made >= 0 && bind(made, (struct sockaddr *)&any4, sizeof any4) == 0;
    }
    struct sockaddr_storage found = {0};
    size = sizeof found;
    good = good && getsockname(made, (struct sockaddr *)&found, &size) == 0;
    const uint16_t port = found.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&found)->sin6_port
                                                      : ((struct sockaddr_in *)(void *)&found)->sin_port;
    if (made >= 0)
        close(made);
    return good ? ntohs(port) : 0;
}

static bool choose_ports(struct observation *observation)
{
    observation->port = observation->trial->port;
    observation->second_port = observation->port ? observation->port + 1 : 0;
    for (int tries = 0; tries < 10 && (!observation->port || observation->port == observation->second_port); tries++) {
        observation->port = free_port();
        observation->second_port = free_port();
    }
    return observation->port || fail_errno(&observation->attempt->failure, errno, "no free port was found");
}

/* Whether a socket of this network namespace listens at the port; it is not connected to, because
 * some servers serve a single connection. */
static bool listens(const char *table, uint64_t port)
{
    char line[512];
    unsigned int local, state;
    bool found = false;
    FILE *file = fopen(table, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) == 2 && local == port &&
                state == LISTEN_STATE;
    if (file)
        fclose(file);
    return found;
}

static void ask_for_orders(const struct observation *observation)
{
    const struct attempt *attempt = observation->attempt;
    const bool sends = observe_sends(observation->trial);
    struct text *line = attempt_event(attempt, "awaiting_orders");
    json_string(line, "directory", observation->data >= 0 ? observation->directory : NULL);
    json_known(line, "port", sends ? -1 : (int64_t)observation->port);
    json_known(line, "second_port", sends ? -1 : (int64_t)observation->second_port);
    event_end(attempt->workspace->spool);
}

static bool has_own_orders(struct observation *observation)
{
    const struct trial *trial = observation->attempt->trial;
    struct orders *orders = &observation->orders;
    if (!orders_read(limits_of(observation)->rundir, orders))
        return false;
    observation->has_orders = orders->trial == trial->position && orders->attempt == trial->attempt;
    if (!observation->has_orders)
        orders_free(orders);
    return observation->has_orders;
}

static bool await_orders(struct observation *observation)
{
    uint64_t told_ns = clock_mono();
    while (!has_own_orders(observation)) {
        if (!goes_on(observation))
            return false;
        if (clock_mono() - told_ns >= PROGRESS_NS) {
            progress_event(observation->attempt->workspace->spool, "awaiting_peer", NULL, 0, 0);
            told_ns = clock_mono();
        }
        clock_sleep(LOOK_NS);
    }
    return !observe_sends(observation->trial) || observation->orders.main ||
           fail(&observation->attempt->failure, "tool_failed", 0, false, "the orders have no command for the source; give one");
}

/* Runs a short command; false at a stop, or if it cannot be started. */
static bool run(struct observation *observation, struct command *command, const char *name, const char *text, bool to_end)
{
    *command = (struct command){.output = -1, .errors = -1};
    if (!command_start(command, name, text, observation->directory, observation->mark, &observation->attempt->failure))
        return false;
    const uint64_t until = clock_mono() + CHECK_MS * NS_PER_MS;
    while (command->running && clock_mono() < until && (to_end || goes_on(observation)))
        command_look(command, 20);
    const bool ended = !command->running;
    command->limited = command->running && clock_mono() >= until;
    if (!ended)
        command_end(command, observation->mark, 0);
    command_close(command);
    return ended || command->limited;
}

static void clean_up(struct observation *observation)
{
    struct command command;
    struct failure ignored = observation->attempt->failure; /* it does not change why the trial ended */
    if (!observation->orders.cleanup)
        return;
    const bool ran = run(observation, &command, "the clean-up", observation->orders.cleanup, true);
    observation->attempt->failure = ignored;
    if (ran && command_good(&command))
        return;
    struct failure failed = {0};
    command_fail(&command, "tool_failed", &failed);
    struct text *line = notice_begin(observation->attempt->workspace->spool, "tool_cleanup_failed", failed.message);
    json_uint(line, "trial", observation->attempt->trial->position);
    event_end(observation->attempt->workspace->spool);
}

static bool check(struct observation *observation)
{
    struct command command;
    if (!observation->orders.check)
        return true;
    if (!run(observation, &command, "the check of what the tool needs", observation->orders.check, false))
        return false;
    return command_good(&command) || command_fail(&command, "tool_missing", &observation->attempt->failure);
}

static bool is_ready(const struct observation *observation)
{
    const struct orders *orders = &observation->orders;
    switch ((enum readiness)orders->ready) {
    case READY_PORT:
        return listens("/proc/net/tcp", orders->port) || listens("/proc/net/tcp6", orders->port);
    case READY_LINE:
        return observation->main.seen;
    case READY_NONE:
        break;
    }
    return true;
}

/* A daemon at the sink is ready before the transfer starts. */
static bool start_daemon(struct observation *observation)
{
    struct failure *failure = &observation->attempt->failure;
    struct command *daemon = &observation->main;
    if (observe_sends(observation->trial) || !observation->orders.main)
        return true;
    daemon->awaited = observation->orders.ready == READY_LINE ? observation->orders.line : NULL;
    if (!command_start(daemon, "the sink's command", observation->orders.main, observation->directory, observation->mark, failure))
        return false;
    for (const uint64_t until = clock_mono() + READY_MS * NS_PER_MS; !is_ready(observation);) {
        if (!goes_on(observation))
            return false;
        if (!daemon->running || clock_mono() >= until)
            return command_fail(daemon, "tool_failed", failure);
        command_look(daemon, 20);
    }
    return true;
}

struct cpu_use cpu_use(void)
{
    static const int counted[] = {0, 1, 2, 5, 6}; /* user, nice, system, irq, softirq of "cpu" in /proc/stat */
    char text[512];
    struct cpu_use found = {.at_ns = clock_mono()};
    if (host_read_file("/proc/stat", text, sizeof text) <= 0)
        return found;
    char *at = text + strcspn(text, " ");
    for (int column = 0, next = 0; next < (int)(sizeof counted / sizeof *counted); column++) {
        const uint64_t ticks = strtoull(at, &at, 10);
        if (column == counted[next]) {
            found.busy_ns += ticks * host_tick_ns();
            next++;
        }
    }
    return found;
}

/* What the host uses anyway, so that it can be told from the transfer. */
static bool observe_idle(struct observation *observation)
{
    observation->idle[0] = cpu_use();
    for (const uint64_t until = clock_mono() + IDLE_NS; clock_mono() < until;) {
        if (!goes_on(observation))
            return false;
        command_look(&observation->main, 0);
        clock_sleep(LOOK_NS);
    }
    observation->idle[1] = cpu_use();
    return true;
}

/* Called by an errand. */
static bool look_for_data(void *argument)
{
    struct observation *observation = argument;
    struct tree tree = {0};
    if (!errand_calls(&observation->attempt->workspace->errand, "getdents"))
        return false;
    tree_walk(&tree, observation->data);
    return tree.bytes == 0 || fail(&observation->attempt->failure, "tool_failed", 0, false,
                                   "the sink's command moved %" PRIu64 " bytes before the transfer started, so that its time is "
                                   "unknown; let the source's command move the data",
                                   tree.bytes);
}

/* A command of the sink that fetches the data itself would have a head start. */
static bool nothing_has_arrived(struct observation *observation)
{
    return !observation->attempt->writes || !observation->orders.main ||
           errand_run(&observation->attempt->workspace->errand, ERRAND_PREPARING, 0, look_for_data, observation);
}

bool rehearse(struct observation *observation)
{
    if (!observe_sends(observation->trial) && !choose_ports(observation))
        return false;
    ask_for_orders(observation);
    if (!await_orders(observation))
        return false;
    clean_up(observation);
    card_find(&observation->card, observation->orders.address ? observation->orders.address : "");
    return elsewhere_begin(observation) && check(observation) && start_daemon(observation) && observe_idle(observation) &&
           nothing_has_arrived(observation);
}

void clear_up(struct observation *observation)
{
    command_end(&observation->main, observation->mark, 0);
    command_close(&observation->main);
    if (observation->has_orders)
        clean_up(observation);
    if (observation->has_orders && !command_sweep(observation->mark)) {
        notice_begin(observation->attempt->workspace->spool, "tool_remains",
                     "processes of the tool could not be ended; look for them on the host");
        event_end(observation->attempt->workspace->spool);
    }
    orders_free(&observation->orders);
    observation->has_orders = false;
}
