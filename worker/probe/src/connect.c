/* connect: tell a trial that waits in its preparation where the other end listens. */
#include "rundir.h"
#include "verbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static bool is_address(const char *text)
{
    struct in6_addr bytes;
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1;
}

int verb_connect(int count, char **arguments)
{
    uint64_t trial, generation, port;
    if (count != 6 || !parse_count(arguments[1], &trial) || !is_address(arguments[2]) || !parse_count(arguments[3], &port) ||
        port == 0 || port > 65535 || strcmp(arguments[4], "--generation") != 0 || !parse_count(arguments[5], &generation))
        return complain(EXIT_USAGE, "usage: connect RUN_DIR TRIAL ADDRESS PORT --generation G, with a numeric address");
    int rundir = rundir_open(arguments[0], false);
    if (rundir < 0)
        return complain(EXIT_NO_RUN, "the run directory %s cannot be opened: %s", arguments[0], strerror(errno));
    int fence = pass_fence(rundir, generation);
    if (fence != EXIT_OK)
        return fence;
    if (!rundir_locked(rundir))
        return complain(EXIT_DEAD, "no probe is running in %s; start the run again", arguments[0]);
    if (!rundir_connect(rundir, trial, arguments[2], port))
        return complain(EXIT_SYSTEM, "the address cannot be written: %s", strerror(errno));
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_string(&text, "state", "told");
    json_uint(&text, "trial", trial);
    json_close(&text, '}');
    return print_document(&text);
}
