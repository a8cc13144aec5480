/* verify: read the test files of another host's run back, on a file system that both share. It only
 * reads. While it does, it prints a line in each second in which it has read something, and it ends when
 * nobody reads its output. */
#include "clock.h"
#include "rundir.h"
#include "sustained/manifest.h"
#include "sustained/readback.h"
#include "sustained/stream.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TELL_NS NS_PER_S
/* A client of a network file system may see a new directory later than its writer. */
#define VISIBLE_NS (5 * NS_PER_S)
#define LOOK_NS (100 * NS_PER_MS)

struct verifying {
    const struct manifest *manifest;
    int target;
    struct workspace workspace;
    struct attempt attempt;
    struct sustained_trial trial;
    struct work work;
    struct stream streams[SUSTAINED_STREAMS_MOST];
    struct pattern pattern;
    struct verified verified;
    atomic_bool over;
};

/* Builds the attempt that wrote the files, as far as reading them back needs it. */
static void rebuild(struct verifying *one)
{
    const struct manifest *manifest = one->manifest;
    one->trial = (struct sustained_trial){
        .common.position = manifest->position,
        .block = manifest->block,
        .layout = manifest->layout,
        .file_bytes = manifest->file_bytes,
        .files = manifest->files,
        .cache = manifest->cache,
        .read_back = READ_BACK_OTHER_HOST,
    };
    one->attempt = (struct attempt){.workspace = &one->workspace, .trial = &one->trial.common, .own = &one->work};
    one->workspace.buffers.limit = UINT64_MAX;
    one->work.streams = one->streams;
    one->work.count = manifest->count;
    for (uint64_t i = 0; i < manifest->count; i++) {
        const struct manifest_stream *from = &manifest->streams[i];
        one->streams[i] = (struct stream){
            .number = i,
            .written = from->written,
            .blocks.size = manifest->block,
            .data.content = {manifest->run, (uint32_t)from->file, (uint32_t)from->pass, from->first_key},
            .files = {.workspace = &one->workspace, .trial = &one->trial, .stream = i},
        };
    }
}

static bool open_workdir(struct verifying *one)
{
    const uint64_t until = clock_mono() + VISIBLE_NS;
    int dir;
    while ((dir = openat(one->target, one->manifest->workdir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 &&
           (errno == ENOENT || errno == ESTALE) && clock_mono() < until)
        clock_sleep(LOOK_NS);
    one->workspace.workdir.dir = dir;
    if (dir >= 0)
        return true;
    snprintf(one->verified.why, sizeof one->verified.why, "the test directory %s cannot be opened there: %s%s",
             one->manifest->workdir, strerror(errno),
             errno == ENOENT ? "; the two targets are not the same directory of one file system" : "");
    return false;
}

static void *verify(void *argument)
{
    struct verifying *one = argument;
    if (open_workdir(one)) {
        one->verified.whole = readback_verify(&one->attempt, &one->pattern, &one->verified);
        close(one->workspace.workdir.dir);
    }
    atomic_store(&one->over, true);
    return NULL;
}

static int print_progress(uint64_t bytes, uint64_t total)
{
    struct text text = {0};
    json_open(&text, NULL, '{');
    json_uint(&text, "bytes", bytes);
    json_uint(&text, "total_bytes", total);
    json_close(&text, '}');
    return print_document(&text);
}

static bool output_is_closed(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Prints the progress until the thread is over, and nothing while a call hangs; false if nobody reads
 * it. `now` is when the thread was started. */
static bool tell_progress(struct verifying *one, uint64_t now)
{
    struct errand *errand = &one->workspace.errand;
    uint64_t told_ns = now, told = 0;
    do {
        const uint64_t due = now + LOOK_NS;
        clock_sleep(LOOK_NS);
        now = clock_mono();
        atomic_fetch_add(&errand->stood_still_ns, stood_still_ns(due, now));
        if (output_is_closed())
            return false;
        const uint64_t bytes = atomic_load(&errand->bytes);
        if (now - told_ns < TELL_NS || bytes == told)
            continue;
        if (print_progress(bytes, atomic_load(&errand->total)) != EXIT_OK)
            return false;
        told_ns = now;
        told = bytes;
    } while (!atomic_load(&one->over));
    return true;
}

static int answer(const struct verified *verified)
{
    struct text text = {0}, report = {0};
    report_write(&report, verified);
    text_append(&report, "", 1);
    json_open(&text, NULL, '{');
    json_string(&text, "report", report.data);
    json_close(&text, '}');
    text_free(&report);
    return print_document(&text);
}

static int verify_manifest(struct verifying *one, const char *path)
{
    pthread_t thread;
    rebuild(one);
    if (!pattern_make_again(&one->pattern, one->manifest->pool_bytes, one->manifest->seed))
        return complain(EXIT_SYSTEM, "the test data's pool cannot be allocated");
    one->target = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (one->target < 0) {
        snprintf(one->verified.why, sizeof one->verified.why, "%.100s cannot be opened there: %s", path, strerror(errno));
    } else {
        const uint64_t started_ns = clock_mono();
        if (pthread_create(&thread, NULL, verify, one) != 0)
            return complain(EXIT_SYSTEM, "a thread cannot be started");
        if (!tell_progress(one, started_ns))
            _exit(EXIT_SYSTEM); /* with the thread, which may hang in the kernel */
        pthread_join(thread, NULL);
        readback_time(&one->attempt, &one->verified);
        close(one->target);
    }
    buffers_free(&one->workspace.buffers);
    pattern_free(&one->pattern);
    return answer(&one->verified);
}

int verb_verify(int count, char **arguments)
{
    static struct manifest manifest;
    struct verifying *one;
    char error[400];
    int code;
    if (count != 2)
        return complain(EXIT_USAGE, "usage: verify DIR MANIFEST");
    if (!manifest_parse(arguments[1], &manifest, error, sizeof error))
        code = complain(EXIT_BAD_PLAN, "%s", error);
    else if (posix_memalign((void **)&one, METER_LINE, sizeof *one) != 0)
        code = complain(EXIT_SYSTEM, "no memory");
    else {
        memset(one, 0, sizeof *one);
        one->manifest = &manifest;
        code = verify_manifest(one, arguments[0]);
        free(one);
    }
    manifest_free(&manifest);
    return code;
}

/* Reads a report from standard input; false with the exit code, after its message was written. */
static bool read_report(struct text *input, int *code)
{
    const bool whole = read_input(input);
    if (input->length >= VERIFIED_MOST)
        *code = complain(EXIT_BAD_PLAN, "the report is longer than %d bytes; shorten its reason", VERIFIED_MOST - 1);
    else if (!whole)
        *code = complain(EXIT_SYSTEM, "the report cannot be read from standard input: %s", strerror(errno));
    return whole && input->length < VERIFIED_MOST;
}

/* verified: hand the report of another host to the run that waits for it. */
int verb_verified(int count, char **arguments)
{
    uint64_t trial, attempt, generation;
    struct text input = {0};
    char error[400];
    int code;
    if (count != 5 || !parse_count(arguments[1], &trial) || !parse_count(arguments[2], &attempt) ||
        strcmp(arguments[3], "--generation") != 0 || !parse_count(arguments[4], &generation))
        return complain(EXIT_USAGE, "usage: verified RUN_DIR TRIAL ATTEMPT --generation G < REPORT");
    if (!read_report(&input, &code)) {
        text_free(&input);
        return code;
    }
    text_append(&input, "", 1);
    char copy[VERIFIED_MOST];
    struct verified verified;
    snprintf(copy, sizeof copy, "%s", input.data);
    if (!report_parse(copy, &verified, error, sizeof error)) {
        text_free(&input);
        return complain(EXIT_BAD_PLAN, "%s", error);
    }
    int rundir;
    code = open_running(arguments[0], generation, &rundir);
    if (code == EXIT_OK && !rundir_verified(rundir, trial, attempt, input.data))
        code = complain(EXIT_SYSTEM, "the report cannot be written: %s", strerror(errno));
    text_free(&input);
    if (code != EXIT_OK)
        return code;
    return print_trial("reported", trial);
}
