#include "counters.h"

#include "clock.h"
#include "columns.h"
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int open_to_read(const char *path)
{
    char place[PATH_MAX];
    return open(host_path(place, path), O_RDONLY | O_CLOEXEC);
}

static ssize_t read_again(int file, char *buffer, size_t size)
{
    ssize_t length = file < 0 ? -1 : pread(file, buffer, size - 1, 0);
    buffer[length > 0 ? length : 0] = '\0';
    return length;
}

/* Cards with a device behind them; in a container or namespace there may be none, then
 * everything but loopback counts. */
static void find_nics(struct counters *counters)
{
    for (int physical = 1; physical >= 0 && counters->nic_count == 0; physical--) {
        DIR *cards = opendir("/sys/class/net");
        if (!cards)
            return;
        for (struct dirent *entry; (entry = readdir(cards)) && counters->nic_count < COUNTERS_NICS;) {
            char path[PATH_MAX];
            snprintf(path, sizeof path, "/sys/class/net/%s/device", entry->d_name);
            if (entry->d_name[0] == '.' || strcmp(entry->d_name, "lo") == 0 || strlen(entry->d_name) >= NIC_NAME)
                continue;
            if (!physical || access(path, F_OK) == 0)
                strcpy(counters->nics[counters->nic_count++], entry->d_name);
        }
        closedir(cards);
    }
}

struct space_watch {
    struct counters *counters;
    uint64_t interval_ns;
};

static void *watch_space(void *argument)
{
    struct space_watch watch = *(struct space_watch *)argument;
    free(argument);
    while (atomic_load(&watch.counters->watching)) {
        uint64_t bytes;
        bool known = counters_free_space(watch.counters->target, &bytes);
        if (known)
            atomic_store(&watch.counters->free_bytes, bytes);
        atomic_store(&watch.counters->free_error, known ? 0 : errno);
        clock_sleep(watch.interval_ns);
    }
    return NULL;
}

/* False with errno. */
static bool start_space_watch(struct counters *counters, uint64_t sample_ns)
{
    struct space_watch *watch = malloc(sizeof *watch);
    pthread_t thread;
    if (!watch)
        return false;
    *watch = (struct space_watch){counters, sample_ns < NS_PER_S ? sample_ns : NS_PER_S};
    atomic_store(&counters->watching, true);
    int error = pthread_create(&thread, NULL, watch_space, watch);
    if (error == 0) {
        pthread_detach(thread); /* it may hang if the file system hangs; it ends with the process */
        return true;
    }
    free(watch);
    errno = error;
    return false;
}

bool counters_open(struct counters *counters, struct devcounter *device, int target, uint64_t sample_ns)
{
    *counters = (struct counters){.target = target, .device = device};
    counters->stat = open_to_read("/proc/stat");
    counters->meminfo = open_to_read("/proc/meminfo");
    counters->net = open_to_read("/proc/net/dev");
    if (counters->stat < 0 || counters->meminfo < 0 || counters->net < 0)
        return false;
    devcounter_open(device);
    counters->psi_cpu = open_to_read("/proc/pressure/cpu");
    counters->psi_io = open_to_read("/proc/pressure/io");
    counters->psi_memory = open_to_read("/proc/pressure/memory");
    counters->tick_ns = host_tick_ns();
    find_nics(counters);
    uint64_t bytes = 0;
    if (target >= 0 && !counters_free_space(target, &bytes))
        return false;
    atomic_init(&counters->free_bytes, bytes);
    static struct snapshot first; /* so that there is a value if a later reading fails */
    counters_read(counters, &first);
    return target < 0 || start_space_watch(counters, sample_ns);
}

void counters_close(struct counters *counters)
{
    atomic_store(&counters->watching, false);
    const int files[] = {counters->stat,    counters->meminfo, counters->net,
                         counters->psi_cpu, counters->psi_io,  counters->psi_memory};
    devcounter_close(counters->device);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
}

bool counters_free_space(int dir, uint64_t *bytes)
{
    struct statvfs fs;
    if (fstatvfs(dir, &fs) != 0)
        return false;
    *bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    return true;
}

static bool is_busy(enum cpu_time time)
{
    return time != CPU_IDLE && time != CPU_IOWAIT && time != CPU_STEAL;
}

/* Parses the line of one CPU: its time since the last reading is added to the sums. */
static void add_cpu(struct counters *counters, const char *line)
{
    struct snapshot *last = &counters->last;
    char *at;
    unsigned long number = strtoul(line, &at, 10);
    if (number >= COUNTERS_CPUS)
        return;
    struct cpu_reading *seen = &counters->cpu_seen[number];
    for (int time = 0; time < CPU_TIMES; time++) {
        uint64_t now = strtoull(at, &at, 10), before = seen->ticks[time];
        uint64_t spent = seen->known && now > before ? now - before : 0; /* iowait and idle may step back */
        seen->ticks[time] = now;
        last->cpu_ticks[time] += spent;
        if (is_busy(time))
            last->busy_ticks[number] += spent;
    }
    seen->known = true;
    last->cpus = (int)number >= last->cpus ? (int)number + 1 : last->cpus;
}

/* The sums are computed from the lines of the CPUs, not from the total line: that is rounded
 * separately, so the busiest CPU could be below the mean. An offline CPU has no line. */
static void read_cpus(struct counters *counters)
{
    static _Thread_local char text[1 << 19]; /* the cpu lines come first; the rest may be cut */
    if (read_again(counters->stat, text, sizeof text) <= 0)
        return;
    counters->last.read_ns = clock_mono();
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && strncmp(line, "cpu", 3) == 0;)
        if (line[3] >= '0' && line[3] <= '9')
            add_cpu(counters, line + 3);
}

static void read_memory(const struct counters *counters, struct snapshot *snapshot)
{
    char text[4096];
    if (read_again(counters->meminfo, text, sizeof text) <= 0)
        return;
    snapshot->mem_available = host_meminfo(text, "MemAvailable:");
    snapshot->mem_dirty = host_meminfo(text, "Dirty:");
    snapshot->mem_writeback = host_meminfo(text, "Writeback:");
}

static void read_network(const struct counters *counters, struct snapshot *snapshot)
{
    char text[16384];
    if (read_again(counters->net, text, sizeof text) <= 0)
        return;
    snapshot->net_rx = snapshot->net_tx = 0;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char name[NIC_NAME];
        uint64_t rx, tx;
        if (sscanf(line, " %15[^:]: %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name, &rx, &tx) != 3)
            continue;
        for (int i = 0; i < counters->nic_count; i++) {
            if (strcmp(name, counters->nics[i]) == 0) {
                snapshot->net_rx += rx;
                snapshot->net_tx += tx;
            }
        }
    }
}

/* A pressure file has one line per kind: "some avg10=… avg60=… avg300=… total=MICROSECONDS". */
static uint64_t pressure_ns(const char *text, const char *kind)
{
    const char *line = strstr(text, kind);
    const char *total = line ? strstr(line, "total=") : NULL;
    return total ? strtoull(total + 6, NULL, 10) * 1000 : 0;
}

static void read_pressure(const struct counters *counters, struct snapshot *snapshot)
{
    char text[256];
    if (read_again(counters->psi_cpu, text, sizeof text) > 0)
        snapshot->psi_cpu_some = pressure_ns(text, "some");
    if (read_again(counters->psi_io, text, sizeof text) > 0) {
        snapshot->psi_io_some = pressure_ns(text, "some");
        snapshot->psi_io_full = pressure_ns(text, "full");
    }
    if (read_again(counters->psi_memory, text, sizeof text) > 0) {
        snapshot->psi_mem_some = pressure_ns(text, "some");
        snapshot->psi_mem_full = pressure_ns(text, "full");
    }
}

struct device_bytes counters_device(struct counters *counters)
{
    devcounter_read(counters->device, &counters->last.device);
    return counters->last.device;
}

void counters_begin_trial(struct counters *counters)
{
    devcounter_check(counters->device);
    counters->device_still = counters_device(counters);
}

bool counters_device_counts(const struct counters *counters)
{
    const struct device_bytes *now = &counters->last.device, *still = &counters->device_still;
    if (counters->device->source == COUNTER_NONE)
        return false;
    return !counters->device->reason || now->read != still->read || now->written != still->written;
}

void counters_read(struct counters *counters, struct snapshot *snapshot)
{
    struct snapshot *last = &counters->last;
    read_cpus(counters);
    read_memory(counters, last);
    counters_device(counters);
    read_network(counters, last);
    read_pressure(counters, last);
    last->fs_free = atomic_load(&counters->free_bytes);
    memcpy(snapshot, last, offsetof(struct snapshot, busy_ticks) + (size_t)last->cpus * sizeof *last->busy_ticks);
}

int64_t counters_difference(uint64_t after, uint64_t before)
{
    return after > before ? (int64_t)(after - before) : 0; /* iowait and idle may step back */
}

static int64_t busiest_ticks(const struct snapshot *before, const struct snapshot *now)
{
    int64_t most = 0;
    for (int i = 0; i < now->cpus && i < before->cpus; i++) {
        int64_t busy = counters_difference(now->busy_ticks[i], before->busy_ticks[i]);
        most = busy > most ? busy : most;
    }
    return most;
}

static void cpu_columns(const struct snapshot *before, const struct snapshot *now, int64_t tick_ns, int64_t *column)
{
    int64_t spent[CPU_TIMES];
    for (int time = 0; time < CPU_TIMES; time++)
        spent[time] = counters_difference(now->cpu_ticks[time], before->cpu_ticks[time]) * tick_ns;
    column[COLUMN_HOST_DT_NS] = counters_difference(now->read_ns, before->read_ns);
    column[COLUMN_CPU_USER_NS] = spent[CPU_USER] + spent[CPU_NICE];
    column[COLUMN_CPU_SYSTEM_NS] = spent[CPU_SYSTEM];
    column[COLUMN_CPU_SOFTIRQ_NS] = spent[CPU_IRQ] + spent[CPU_SOFTIRQ];
    column[COLUMN_CPU_IOWAIT_NS] = spent[CPU_IOWAIT];
    column[COLUMN_CPU_STEAL_NS] = spent[CPU_STEAL];
    column[COLUMN_CPU_IDLE_NS] = spent[CPU_IDLE];
    column[COLUMN_CPU_BUSIEST_NS] = busiest_ticks(before, now) * tick_ns;
}

void counters_columns(const struct counters *counters, const struct snapshot *before, const struct snapshot *now,
                      int64_t *column)
{
    cpu_columns(before, now, (int64_t)counters->tick_ns, column);
    column[COLUMN_MEM_AVAILABLE_BYTES] = (int64_t)now->mem_available;
    column[COLUMN_MEM_DIRTY_BYTES] = (int64_t)now->mem_dirty;
    column[COLUMN_MEM_WRITEBACK_BYTES] = (int64_t)now->mem_writeback;
    if (counters_device_counts(counters)) {
        column[COLUMN_DEV_READ_BYTES] = counters_difference(now->device.read, before->device.read);
        column[COLUMN_DEV_WRITE_BYTES] = counters_difference(now->device.written, before->device.written);
        if (devcounter_has_busy(counters->device))
            column[COLUMN_DEV_BUSY_NS] = counters_difference(now->device.busy_ns, before->device.busy_ns);
    }
    if (devcounter_has_neighbors(counters->device)) {
        const struct neighbor_bytes moved = devcounter_neighbors(&before->device, &now->device);
        column[COLUMN_NEIGHBOR_READ_BYTES] = (int64_t)moved.read;
        column[COLUMN_NEIGHBOR_WRITE_BYTES] = (int64_t)moved.written;
    }
    column[COLUMN_NET_RX_BYTES] = counters_difference(now->net_rx, before->net_rx);
    column[COLUMN_NET_TX_BYTES] = counters_difference(now->net_tx, before->net_tx);
    if (counters->psi_cpu >= 0)
        column[COLUMN_PSI_CPU_SOME_NS] = counters_difference(now->psi_cpu_some, before->psi_cpu_some);
    if (counters->psi_io >= 0) {
        column[COLUMN_PSI_IO_SOME_NS] = counters_difference(now->psi_io_some, before->psi_io_some);
        column[COLUMN_PSI_IO_FULL_NS] = counters_difference(now->psi_io_full, before->psi_io_full);
    }
    if (counters->psi_memory >= 0) {
        column[COLUMN_PSI_MEM_SOME_NS] = counters_difference(now->psi_mem_some, before->psi_mem_some);
        column[COLUMN_PSI_MEM_FULL_NS] = counters_difference(now->psi_mem_full, before->psi_mem_full);
    }
    if (counters->target >= 0)
        column[COLUMN_FS_FREE_BYTES] = (int64_t)now->fs_free;
}
