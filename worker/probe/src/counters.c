#include "counters.h"

#include "clock.h"
#include "host.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SECTOR 512

static int open_to_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
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
        if (counters_free_space(watch.counters->target, &bytes))
            atomic_store(&watch.counters->free_bytes, bytes);
        clock_sleep(watch.interval_ns);
    }
    return NULL;
}

static void start_space_watch(struct counters *counters, uint64_t sample_ns)
{
    struct space_watch *watch = malloc(sizeof *watch);
    pthread_t thread;
    if (!watch)
        return;
    *watch = (struct space_watch){counters, sample_ns < NS_PER_S ? sample_ns : NS_PER_S};
    atomic_store(&counters->watching, true);
    if (pthread_create(&thread, NULL, watch_space, watch) != 0)
        free(watch);
    else
        pthread_detach(thread); /* it may hang with the file system; the process's end ends it */
}

bool counters_open(struct counters *counters, const char *device, int target, uint64_t sample_ns)
{
    char path[128];
    *counters = (struct counters){.target = target};
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", device);
    counters->stat = open_to_read("/proc/stat");
    counters->meminfo = open_to_read("/proc/meminfo");
    counters->net = open_to_read("/proc/net/dev");
    if (counters->stat < 0 || counters->meminfo < 0 || counters->net < 0)
        return false;
    counters->device = device[0] ? open_to_read(path) : -1;
    counters->psi_cpu = open_to_read("/proc/pressure/cpu");
    counters->psi_io = open_to_read("/proc/pressure/io");
    counters->psi_memory = open_to_read("/proc/pressure/memory");
    long ticks = sysconf(_SC_CLK_TCK);
    counters->tick_ns = NS_PER_S / (uint64_t)(ticks > 0 ? ticks : 100);
    find_nics(counters);
    uint64_t bytes = 0;
    counters_free_space(target, &bytes);
    atomic_init(&counters->free_bytes, bytes);
    start_space_watch(counters, sample_ns);
    static struct snapshot first; /* so that a look that fails later has one to stand on */
    counters_read(counters, &first);
    return true;
}

void counters_close(struct counters *counters)
{
    atomic_store(&counters->watching, false);
    const int files[] = {counters->stat,    counters->meminfo, counters->net,       counters->device,
                         counters->psi_cpu, counters->psi_io,  counters->psi_memory};
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

static void read_cpus(const struct counters *counters, struct snapshot *snapshot)
{
    static _Thread_local char text[1 << 19]; /* the cpu lines come first; the rest may be cut */
    if (read_again(counters->stat, text, sizeof text) <= 0)
        return;
    snapshot->cpus = 0;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && strncmp(line, "cpu", 3) == 0;) {
        uint64_t field[8] = {0}; /* user nice system idle iowait irq softirq steal */
        char *at = line + 3;
        bool all = *at == ' ';
        strtoul(at, &at, 10);
        for (size_t i = 0; i < 8; i++)
            field[i] = strtoull(at, &at, 10) * counters->tick_ns;
        if (all) {
            snapshot->user_ns = field[0] + field[1];
            snapshot->system_ns = field[2];
            snapshot->idle_ns = field[3];
            snapshot->iowait_ns = field[4];
            snapshot->softirq_ns = field[5] + field[6];
        } else if (snapshot->cpus < COUNTERS_CPUS) {
            snapshot->busy_ns[snapshot->cpus++] = field[0] + field[1] + field[2] + field[5] + field[6] + field[7];
        }
    }
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

/* A pressure file has one line a kind: "some avg10=… avg60=… avg300=… total=MICROSECONDS". */
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
    char text[512];
    uint64_t read, written, busy_ms;
    if (read_again(counters->device, text, sizeof text) > 0 &&
        sscanf(text, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64 " %*u %*u %" SCNu64, &read, &written, &busy_ms) == 3)
        counters->last.device = (struct device_bytes){read * SECTOR, written * SECTOR, busy_ms * NS_PER_MS};
    return counters->last.device;
}

void counters_read(struct counters *counters, struct snapshot *snapshot)
{
    struct snapshot *last = &counters->last;
    read_cpus(counters, last);
    read_memory(counters, last);
    counters_device(counters);
    read_network(counters, last);
    read_pressure(counters, last);
    last->fs_free = atomic_load(&counters->free_bytes);
    memcpy(snapshot, last, offsetof(struct snapshot, busy_ns) + (size_t)last->cpus * sizeof *last->busy_ns);
}
