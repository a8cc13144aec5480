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
    int rundir = rundir_open(arguments[0], false);
    if (rundir < 0)
        return complain(EXIT_NO_RUN, "the run directory %s cannot be opened: %s", arguments[0], strerror(errno));
    int fence = pass_fence(rundir, generation);
    if (fence != EXIT_OK)
        return fence;
    if (!rundir_locked(rundir))
        return complain(EXIT_DEAD, "no probe is running in %s; start the run again", arguments[0]);
    if (!rundir_release(rundir, trial, release, at_ns))
        return complain(EXIT_SYSTEM, "the release cannot be written: %s", strerror(errno));
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_string(&text, "state", states[release]);
    json_uint(&text, "trial", trial);
    json_close(&text, '}');
    return print_document(&text);
}
