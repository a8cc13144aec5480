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
    int rundir, code = open_running(arguments[0], generation, &rundir);
    if (code != EXIT_OK)
        return code;
    if (!rundir_connect(rundir, trial, arguments[2], port))
        return complain(EXIT_SYSTEM, "the address cannot be written: %s", strerror(errno));
    return print_trial("told", trial);
}
