/* assay-probe: measures storage on the host it runs on. A run is a detached process that appends
 * events to a spool; the verbs start it, follow its spool, stop it, and clean up after a dead
 * one. The contract is in contract/. */
#include "clock.h"
#include "columns.h"
#include "rundir.h"
#include "verbs.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define INPUT_LIMIT (64u << 20)

static const struct verb {
    const char *name;
    int (*execute)(int count, char **arguments);
    const char *usage;
} verbs[] = {
    {"version", verb_version, "version                                         print version, contract and clock"},
    {"inspect", verb_inspect, "inspect [--target DIR]                          describe host, file systems, devices, target"},
    {"start", verb_start, "start RUN_DIR < PLAN                            execute a plan, detached"},
    {"release", verb_release, "release RUN_DIR TRIAL AT|finish|abort --generation G  start, finish or abort a trial"},
    {"verify", verb_verify, "verify DIR MANIFEST                              read another host's test files back"},
    {"verified", verb_verified, "verified RUN_DIR TRIAL ATTEMPT --generation G < REPORT  what another host read back"},
    {"connect", verb_connect, "connect RUN_DIR TRIAL ADDRESS PORT --generation G   tell where the other end listens"},
    {"order", verb_order, "order RUN_DIR TRIAL --generation G < ORDERS      tell which commands a trial runs"},
    {"follow", verb_follow, "follow RUN_DIR --from OFFSET --generation G     print events until the end"},
    {"stop", verb_stop, "stop RUN_DIR --generation G [--wait-ms N]       end a run and clean its target"},
    {"sweep", verb_sweep, "sweep RUNS_ROOT [--forget NAME]                 remove files of dead runs"},
};

int complain(int code, const char *format, ...)
{
    va_list arguments;
    fputs("assay-probe: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

int print_document(struct text *text)
{
    text_append(text, "\n", 1);
    bool good = fwrite(text->data, 1, text->length, stdout) == text->length && fflush(stdout) == 0;
    text_free(text);
    return good ? EXIT_OK : complain(EXIT_SYSTEM, "standard output cannot be written");
}

bool read_input(struct text *input)
{
    char chunk[65536];
    ssize_t length;
    while ((length = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 && input->length <= INPUT_LIMIT)
        text_append(input, chunk, (size_t)length);
    return length == 0;
}

int pass_fence(int rundir, uint64_t generation)
{
    if (rundir_fence(rundir, generation))
        return EXIT_OK;
    int reason = errno;
    uint64_t seen = rundir_generation(rundir);
    if (seen > generation)
        return complain(EXIT_FENCED, "generation %" PRIu64 " is too low, %" PRIu64 " was seen: another worker owns this run",
                        generation, seen);
    return complain(EXIT_SYSTEM, "generation %" PRIu64 " cannot be stored: %s", generation, strerror(reason));
}

int open_running(const char *path, uint64_t generation, int *rundir)
{
    *rundir = rundir_open(path, false);
    if (*rundir < 0)
        return complain(EXIT_NO_RUN, "the run directory %s cannot be opened: %s", path, strerror(errno));
    int fence = pass_fence(*rundir, generation);
    if (fence == EXIT_OK && !rundir_locked(*rundir))
        return complain(EXIT_DEAD, "no probe is running in %s; start the run again", path);
    return fence;
}

int print_trial(const char *state, uint64_t trial)
{
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_string(&text, "state", state);
    json_uint(&text, "trial", trial);
    json_close(&text, '}');
    return print_document(&text);
}

bool parse_count(const char *text, uint64_t *number)
{
    char *rest;
    if (!text || *text < '0' || *text > '9' || strlen(text) > 19)
        return false;
    *number = strtoull(text, &rest, 10);
    return *rest == '\0';
}

int verb_version(int count, char **arguments)
{
    struct text text = {0};
    struct utsname names = {0};
    (void)arguments;
    if (count != 0)
        return complain(EXIT_USAGE, "version takes no arguments");
    uname(&names);
    json_open(&text, NULL, '{');
    json_string(&text, "probe", PROBE_VERSION);
    json_int(&text, "contract", CONTRACT_VERSION);
    json_string(&text, "arch", names.machine);
    json_uint(&text, "wall_ns", clock_read(CLOCK_REALTIME));
    json_uint(&text, "boottime_ns", clock_read(CLOCK_BOOTTIME)); /* read last: they lie between
                                                                  * request and response */
    json_close(&text, '}');
    return print_document(&text);
}

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(arguments[1], verbs[i].name) == 0)
            return verbs[i].execute(count - 2, arguments + 2);
    fputs("usage:\n", stderr);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        fprintf(stderr, "  assay-probe %s\n", verbs[i].usage);
    return EXIT_USAGE;
}
