#include "contention.h"

#include "clock.h"
#include "host.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SURPLUS_BYTES 500000
#define INITIAL_NAMESPACE "pid:[4026531836]" /* PROC_PID_INIT_INO: the one in which all processes are seen */

static uint64_t io_value(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Bytes that a process had moved from and to storage; false where that may not be read. */
static bool read_io(const char *pid, struct io_bytes *bytes)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/io", pid);
    if (host_read_file(path, text, sizeof text) <= 0)
        return false;
    uint64_t written = io_value(text, "\nwrite_bytes: "), cancelled = io_value(text, "\ncancelled_write_bytes: ");
    *bytes = (struct io_bytes){io_value(text, "\nread_bytes: "), written > cancelled ? written - cancelled : 0};
    return true;
}

static uint64_t started(const char *pid, char *name, size_t size)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    if (host_read_file(path, text, sizeof text) <= 0)
        return 0;
    char *open = strchr(text, '('), *rest = strrchr(text, ')');
    if (!open || !rest)
        return 0;
    *rest = '\0';
    snprintf(name, size, "%.20s (process %.20s)", open + 1, pid);
    const char *field = rest + 1;
    for (int number = 2; field && number < 22; number++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field + 1, NULL, 10) : 0;
}

static int by_pid(const void *a, const void *b)
{
    uint64_t x = ((const struct process_io *)a)->pid, y = ((const struct process_io *)b)->pid;
    return x < y ? -1 : x > y;
}

static bool is_other(const char *name)
{
    return isdigit((unsigned char)name[0]) && strtoull(name, NULL, 10) != (uint64_t)getpid();
}

static void read_processes(struct contention *contention)
{
    DIR *list = opendir("/proc");
    char space[64] = "";
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    contention->sees_all = list && length > 0 && strcmp(space, INITIAL_NAMESPACE) == 0;
    size_t room = 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char name[64];
        struct process_io one = {0};
        if (!is_other(entry->d_name))
            continue;
        if (!read_io(entry->d_name, &one.bytes)) {
            contention->sees_all = contention->sees_all && (one.started = started(entry->d_name, name, sizeof name)) == 0;
            continue;
        }
        one.pid = strtoull(entry->d_name, NULL, 10);
        one.started = started(entry->d_name, name, sizeof name);
        if (contention->before_count == room) {
            struct process_io *more = realloc(contention->before, (room ? room * 2 : 256) * sizeof *more);
            if (!more)
                break;
            contention->before = more;
            room = room ? room * 2 : 256;
        }
        contention->before[contention->before_count++] = one;
    }
    if (list)
        closedir(list);
    if (contention->before_count > 0)
        qsort(contention->before, contention->before_count, sizeof *contention->before, by_pid);
}

/* What a process has moved since the trial began; one that began meanwhile, all of it. */
static void add_process(struct contention *contention, const char *pid)
{
    char name[64] = "";
    struct process_io key = {.pid = strtoull(pid, NULL, 10)}, now = key;
    if (!read_io(pid, &now.bytes))
        return;
    now.started = started(pid, name, sizeof name);
    const struct process_io *then =
        contention->before_count
            ? bsearch(&key, contention->before, contention->before_count, sizeof key, by_pid)
            : NULL;
    struct io_bytes moved = now.bytes;
    if (then && then->started == now.started) {
        moved.read = now.bytes.read > then->bytes.read ? now.bytes.read - then->bytes.read : 0;
        moved.written = now.bytes.written > then->bytes.written ? now.bytes.written - then->bytes.written : 0;
    }
    contention->others.read += moved.read;
    contention->others.written += moved.written;
    if (moved.read + moved.written > contention->busiest_bytes) {
        contention->busiest_bytes = moved.read + moved.written;
        snprintf(contention->busiest, sizeof contention->busiest, "%s", name);
    }
}

/* Whether the device moved enough beyond this process's own bytes to ask whose they were: half
 * of what the judgment calls contended (1 MB, 5 % of the trial). */
static bool has_surplus(const struct contention *it, uint64_t trial_bytes)
{
    struct io_bytes own = it->knows_own ? it->own : (struct io_bytes){0, 0};
    uint64_t read = it->device.read > own.read ? it->device.read - own.read : 0;
    uint64_t written = it->device.written > own.written ? it->device.written - own.written : 0;
    return read + written >= SURPLUS_BYTES && read + written >= trial_bytes / 40;
}

static void be_quiet(struct contention *contention, struct counters *counters)
{
    struct device_bytes before = counters_device(counters);
    uint64_t began = clock_mono();
    clock_sleep(QUIET_NS);
    struct device_bytes after = counters_device(counters);
    contention->quiet_ns = clock_mono() - began;
    contention->quiet = (struct io_bytes){after.read - before.read, after.written - before.written};
}

void contention_begin(struct contention *contention, struct counters *counters)
{
    /* what an NFS server counts is this mount's own alone, and shows nobody else */
    bool has_device = counters->device->source != COUNTER_NONE && counters->device->source != COUNTER_SERVER;
    *contention = (struct contention){.begun = true, .has_device = has_device};
    read_processes(contention);
    contention->knows_own = read_io("self", &contention->own);
}

void contention_end(struct contention *contention, struct counters *counters, const struct device_bytes *start, uint64_t trial_bytes, bool settled)
{
    struct io_bytes own = {0};
    struct device_bytes now = counters_device(counters);
    contention->knows_own = read_io("self", &own) && contention->knows_own;
    contention->own.read = own.read > contention->own.read ? own.read - contention->own.read : 0;
    contention->own.written = own.written > contention->own.written ? own.written - contention->own.written : 0;
    contention->device = (struct io_bytes){now.read - start->read, now.written - start->written};
    DIR *list = opendir("/proc");
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (is_other(entry->d_name))
            add_process(contention, entry->d_name);
    if (list)
        closedir(list);
    if (contention->has_device && settled && has_surplus(contention, trial_bytes))
        be_quiet(contention, counters);
}

void contention_field(struct text *line, struct contention *contention)
{
    const struct contention *it = contention;
    free(contention->before);
    contention->before = NULL;
    if (!it->begun) {
        json_null(line, "contention");
        return;
    }
    json_open(line, "contention", '{');
    json_known(line, "own_read_bytes", it->knows_own ? (int64_t)it->own.read : -1);
    json_known(line, "own_write_bytes", it->knows_own ? (int64_t)it->own.written : -1);
    json_known(line, "dev_read_bytes", it->has_device ? (int64_t)it->device.read : -1);
    json_known(line, "dev_write_bytes", it->has_device ? (int64_t)it->device.written : -1);
    json_uint(line, "quiet_ns", it->quiet_ns);
    json_uint(line, "quiet_read_bytes", it->quiet.read);
    json_uint(line, "quiet_write_bytes", it->quiet.written);
    json_uint(line, "others_read_bytes", it->others.read);
    json_uint(line, "others_write_bytes", it->others.written);
    json_bool(line, "sees_all", it->sees_all);
    json_string(line, "busiest", it->busiest[0] ? it->busiest : NULL);
    json_close(line, '}');
}
