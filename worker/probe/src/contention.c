#include "contention.h"

#include "appliance.h"
#include "clock.h"
#include "host.h"
#include "kthreads.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SURPLUS_BYTES 500000
#define FRESH_NS (20 * NS_PER_MS) /* A reading of this age is reused: little other I/O happens in
                                   * that time. */
#define INITIAL_NAMESPACE "pid:[4026531836]" /* PROC_PID_INIT_INO: the namespace in which all
                                              * processes are visible */

static uint64_t io_value(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Bytes that a process has read from and written to storage; false if they may not be read. */
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

static int by_pid(const void *a, const void *b)
{
    uint64_t x = ((const struct process_io *)a)->pid, y = ((const struct process_io *)b)->pid;
    return x < y ? -1 : x > y;
}

static bool add(struct processes *processes, struct process_io one)
{
    if (processes->count == processes->room) {
        size_t room = processes->room ? processes->room * 2 : 256;
        struct process_io *more = realloc(processes->list, room * sizeof *more);
        if (!more)
            return false;
        processes->list = more;
        processes->room = room;
    }
    processes->list[processes->count++] = one;
    return true;
}

static void read_processes(struct processes *processes)
{
    char space[64] = "";
    DIR *list = opendir("/proc");
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    *processes = (struct processes){.read_ns = clock_read(CLOCK_BOOTTIME)};
    processes->all = list && length > 0 && strcmp(space, INITIAL_NAMESPACE) == 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct process_io one = {.pid = strtoull(entry->d_name, NULL, 10)};
        if (!isdigit((unsigned char)entry->d_name[0]) || one.pid == (uint64_t)getpid())
            continue;
        if (read_io(entry->d_name, &one.bytes)) {
            one.kernel = one.bytes.read + one.bytes.written > 0 && kthread_is(one.pid);
            one.parent = one.kernel ? 0 : host_process_parent(one.pid);
            processes->all = add(processes, one) && processes->all;
        } else if (processes->all && host_process_started(one.pid, NULL, 0)) {
            processes->all = false;
        }
    }
    if (list)
        closedir(list);
    if (processes->count > 0)
        qsort(processes->list, processes->count, sizeof *processes->list, by_pid);
}

void processes_free(struct processes *processes)
{
    free(processes->list);
    *processes = (struct processes){0};
}

/* Adds the bytes of a process since the start of the trial; all bytes if it started later. */
static void add_process(struct contention *contention, const struct processes *before, struct process_io *now,
                        const struct neighbors *neighbors)
{
    char name[64] = "";
    const struct process_io *then =
        before->count ? bsearch(now, before->list, before->count, sizeof *now, by_pid) : NULL;
    struct io_bytes moved = now->bytes;
    if (then && moved.read == then->bytes.read && moved.written == then->bytes.written)
        return; /* as for most processes: their names need not be read */
    if (moved.read + moved.written == 0)
        return;
    bool is_new = host_process_started(now->pid, name, sizeof name) >= before->read_ns / host_tick_ns();
    if (!then && !is_new) {
        contention->sees_all = false; /* it was not readable before, so the start of its traffic is unknown */
        return;
    }
    if (!is_new) {
        moved.read = moved.read > then->bytes.read ? moved.read - then->bytes.read : 0;
        moved.written = moved.written > then->bytes.written ? moved.written - then->bytes.written : 0;
    }
    now->gained = moved;
    if (!now->kernel && appliance_has(now->pid, neighbors)) {
        contention->appliance.read += moved.read;
        contention->appliance.written += moved.written;
        return;
    }
    enum kthread_use use = now->kernel ? kthread_use_of(now->pid, &neighbors->stack) : KTHREAD_OF_OTHERS;
    if (use == KTHREAD_UNKNOWN)
        contention->unattributed += moved.read + moved.written;
    if (use != KTHREAD_OF_OTHERS)
        return;
    contention->others.read += moved.read;
    contention->others.written += moved.written;
    if (moved.read + moved.written > contention->busiest_bytes && !host_is_probe(name)) {
        contention->busiest_bytes = moved.read + moved.written;
        snprintf(contention->busiest, sizeof contention->busiest, "%s", name);
    }
}

static struct process_io *find(const struct processes *processes, uint64_t pid)
{
    const struct process_io wanted = {.pid = pid};
    return processes->count ? bsearch(&wanted, processes->list, processes->count, sizeof wanted, by_pid) : NULL;
}

/* The nearest process still there of those that started one that ended; NULL if it is not known. */
static struct process_io *heir_of(const struct process_io *ended, const struct processes *before,
                                  const struct processes *now)
{
    for (uint64_t pid = ended->parent; pid > 0;) {
        struct process_io *heir = find(now, pid);
        if (heir)
            return heir;
        const struct process_io *parent = find(before, pid);
        pid = parent ? parent->parent : 0;
    }
    return NULL;
}

static uint64_t take(uint64_t *from, uint64_t bytes)
{
    const uint64_t taken = bytes < *from ? bytes : *from;
    *from -= taken;
    return taken;
}

/* Subtracts the bytes that ended processes transferred before the trial: when a process ends, the
 * kernel adds its bytes to its parent's count, unless that ignores its end. If no count shows them,
 * their bytes during the trial are not visible either. */
static void take_out_ended(struct contention *contention, const struct processes *before, const struct processes *now,
                           const struct neighbors *neighbors)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct process_io *one = &before->list[i];
        if (find(now, one->pid) || one->kernel || one->bytes.read + one->bytes.written == 0)
            continue; /* a thread of the kernel has no parent that gets its count */
        struct process_io *heir = heir_of(one, before, now);
        const uint64_t read = heir ? take(&heir->gained.read, one->bytes.read) : 0;
        const uint64_t written = heir ? take(&heir->gained.written, one->bytes.written) : 0;
        if (read < one->bytes.read || written < one->bytes.written)
            contention->sees_all = false;
        if (read + written == 0)
            continue;
        struct io_bytes *sum = appliance_has(heir->pid, neighbors) ? &contention->appliance : &contention->others;
        take(&sum->read, read);
        take(&sum->written, written);
    }
    if (contention->others.read + contention->others.written == 0)
        contention->busiest[0] = '\0';
}

/* Whether the device transferred enough more than this process to look for the cause: half of the
 * thresholds for contention (1 MB, 5 % of the trial). */
static bool has_surplus(const struct contention *it, uint64_t trial_bytes, uint64_t copies)
{
    struct io_bytes own = it->knows_own ? it->own : (struct io_bytes){0, 0};
    uint64_t stored = own.written * copies;
    uint64_t read = it->device.read > own.read ? it->device.read - own.read : 0;
    uint64_t written = it->device.written > stored ? it->device.written - stored : 0;
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

void contention_begin(struct contention *contention, struct counters *counters, struct processes *processes)
{
    /* an NFS client's counter covers only this mount, not other clients */
    bool has_device = counters->device->source != COUNTER_NONE && counters->device->source != COUNTER_SERVER;
    if (processes->read_ns == 0 || clock_read(CLOCK_BOOTTIME) - processes->read_ns > FRESH_NS) {
        processes_free(processes);
        read_processes(processes);
    }
    *contention = (struct contention){.begun = true, .has_device = has_device, .sees_all = processes->all};
    contention->knows_own = read_io("self", &contention->own);
}

void contention_end(struct contention *contention, struct counters *counters, struct processes *processes, const struct device_bytes *start, uint64_t trial_bytes, bool settled)
{
    struct io_bytes own = {0};
    struct processes now;
    struct device_bytes moved = counters_device(counters);
    contention->knows_own = read_io("self", &own) && contention->knows_own;
    contention->own.read = own.read > contention->own.read ? own.read - contention->own.read : 0;
    contention->own.written = own.written > contention->own.written ? own.written - contention->own.written : 0;
    contention->device = (struct io_bytes){moved.read - start->read, moved.written - start->written};
    contention->knows_neighbors = contention->has_device && devcounter_has_neighbors(counters->device);
    contention->neighbors = devcounter_neighbors(start, &moved);
    read_processes(&now);
    contention->sees_all = contention->sees_all && now.all;
    for (size_t i = 0; i < now.count; i++)
        add_process(contention, processes, &now.list[i], &counters->device->neighbors);
    contention->sees_all = contention->sees_all && contention->unattributed < SURPLUS_BYTES;
    take_out_ended(contention, processes, &now, &counters->device->neighbors);
    processes_free(processes);
    *processes = now;
    if (contention->has_device && settled && has_surplus(contention, trial_bytes, (uint64_t)counters->device->copies))
        be_quiet(contention, counters);
}

void contention_field(struct text *line, const struct contention *it)
{
    if (!it->begun) {
        json_null(line, "contention");
        return;
    }
    json_open(line, "contention", '{');
    json_known(line, "own_read_bytes", it->knows_own ? (int64_t)it->own.read : -1);
    json_known(line, "own_write_bytes", it->knows_own ? (int64_t)it->own.written : -1);
    json_known(line, "dev_read_bytes", it->has_device ? (int64_t)it->device.read : -1);
    json_known(line, "dev_write_bytes", it->has_device ? (int64_t)it->device.written : -1);
    json_known(line, "neighbor_read_bytes", it->knows_neighbors ? (int64_t)it->neighbors.read : -1);
    json_known(line, "neighbor_write_bytes", it->knows_neighbors ? (int64_t)it->neighbors.written : -1);
    json_uint(line, "quiet_ns", it->quiet_ns);
    json_uint(line, "quiet_read_bytes", it->quiet.read);
    json_uint(line, "quiet_write_bytes", it->quiet.written);
    json_uint(line, "others_read_bytes", it->others.read);
    json_uint(line, "others_write_bytes", it->others.written);
    json_uint(line, "appliance_read_bytes", it->appliance.read);
    json_uint(line, "appliance_write_bytes", it->appliance.written);
    json_bool(line, "sees_all", it->sees_all);
    json_string(line, "busiest", it->busiest[0] ? it->busiest : NULL);
    json_close(line, '}');
}
