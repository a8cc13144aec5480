/* release: start a trial that waits at the barrier at an agreed time, finish it, or abort it. */
#include "rundir.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int usage(void)
{
    return complain(EXIT_USAGE, "usage: release RUN_DIR TRIAL AT|finish|abort --generation G");
}

static const char *const states[] = {
    [RELEASE_AT] = "released", [RELEASE_FINISH] = "finished", [RELEASE_ABORT] = "aborted"};

int verb_release(int count, char **arguments)
{
    uint64_t trial, generation, at_ns = 0;
    if (count != 5 || !parse_count(arguments[1], &trial) || strcmp(arguments[3], "--generation") != 0 ||
        !parse_count(arguments[4], &generation))
        return usage();
    enum release release = RELEASE_AT;
    if (strcmp(arguments[2], "abort") == 0)
        release = RELEASE_ABORT;
    else if (strcmp(arguments[2], "finish") == 0)
        release = RELEASE_FINISH;
    else if (!parse_count(arguments[2], &at_ns))
        return usage();
    int rundir, code = open_running(arguments[0], generation, &rundir);
    if (code != EXIT_OK)
        return code;
    if (!rundir_release(rundir, trial, release, at_ns))
        return complain(EXIT_SYSTEM, "the release cannot be written: %s", strerror(errno));
    return print_trial(states[release], trial);
}
