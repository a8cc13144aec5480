/* stop: request the end of a run, wait until its lock is free, and remove what is left. */
#include "clock.h"
#include "rundir.h"
#include "spool.h"
#include "threads.h"
#include "verbs.h"
#include "workdir.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 20000
#define LOOK_NS (10 * NS_PER_MS)

/* Repeats the request while it waits: a `start` that has just taken the lock clears old requests. */
static bool await_free(int rundir, uint64_t wait_ms)
{
    for (uint64_t until = clock_mono() + wait_ms * NS_PER_MS; rundir_locked(rundir);) {
        if (clock_mono() >= until)
            return false;
        rundir_ask_stop(rundir);
        clock_sleep(LOOK_NS);
    }
    return true;
}

static int answer(const char *state, const char *call)
{
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_string(&text, "state", state);
    json_string(&text, "call", call);
    json_close(&text, '}');
    return print_document(&text);
}

/* Reports the state of a run whose lock is free. A dead one cannot clean up after itself. */
static int answer_free(int rundir)
{
    struct spool_state state;
    static struct swept swept;
    if (!spool_scan(rundir, &state))
        return complain(EXIT_SYSTEM, "the spool cannot be read: %s", strerror(errno));
    const char *word = !state.end_status[0] ? "dead" : strcmp(state.end_status, "stopped") == 0 ? "stopped" : "done";
    spool_state_free(&state);
    int lock = rundir_lock(rundir);
    if (lock < 0 && errno != EAGAIN)
        return complain(EXIT_SYSTEM, "the run lock cannot be taken: %s", strerror(errno));
    if (lock >= 0) {
        workdir_sweep(rundir, &swept); /* `sweep` reports what cannot be removed */
        close(lock);
    }
    return answer(word, NULL);
}

/* Reports what a run waits for whose lock is still held. A killed probe that the kernel does not
 * release is stuck; any other only needs more time. */
static int answer_held(int rundir)
{
    char call[CALL_NAME];
    pid_t pid = rundir_pid(rundir);
    bool calls = threads_call(pid, call);
    return answer(threads_were_killed(pid) ? "stuck" : "stopping", calls ? call : NULL);
}

int verb_stop(int count, char **arguments)
{
    uint64_t generation, wait_ms = WAIT_MS;
    if ((count != 3 && count != 5) || strcmp(arguments[1], "--generation") != 0 ||
        !parse_count(arguments[2], &generation) ||
        (count == 5 && (strcmp(arguments[3], "--wait-ms") != 0 || !parse_count(arguments[4], &wait_ms))))
        return complain(EXIT_USAGE, "usage: stop RUN_DIR --generation G [--wait-ms N]");
    int rundir = rundir_open(arguments[0], false);
    if (rundir < 0 && (errno == ENOENT || errno == ENOTDIR))
        return answer("absent", NULL);
    if (rundir < 0)
        return complain(EXIT_NO_RUN, "the run directory %s cannot be opened: %s", arguments[0], strerror(errno));
    int fence = pass_fence(rundir, generation);
    if (fence != EXIT_OK)
        return fence;
    if (rundir_locked(rundir) && !rundir_ask_stop(rundir))
        return complain(EXIT_SYSTEM, "the stop cannot be requested: %s", strerror(errno));
    if (await_free(rundir, wait_ms))
        return answer_free(rundir);
    return answer_held(rundir);
}
