#include "host.h"

#include "clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *host_path(char *buffer, const char *path)
{
#ifdef ASSAY_TEST_ROOT
    const char *root = getenv("ASSAY_PROBE_ROOT");
    if (root && snprintf(buffer, PATH_MAX, "%s%s", root, path) < PATH_MAX && access(buffer, F_OK) == 0)
        return buffer;
#endif
    snprintf(buffer, PATH_MAX, "%s", path);
    return buffer;
}

ssize_t host_read_file(const char *path, char *buffer, size_t size)
{
    char place[PATH_MAX];
    int file = open(host_path(place, path), O_RDONLY | O_CLOEXEC);
    buffer[0] = '\0';
    if (file < 0)
        return -1;
    ssize_t length = read(file, buffer, size - 1);
    close(file);
    if (length < 0)
        return -1;
    if (length > 0 && buffer[length - 1] == '\n')
        length--;
    buffer[length] = '\0';
    return length;
}

void host_boot_id(char *boot_id)
{
    char text[64];
    ssize_t length = host_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
    snprintf(boot_id, 40, "%.39s", length > 0 ? text : "unknown");
}

uint64_t host_meminfo(const char *text, const char *field)
{
    const char *found = strstr(text, field);
    return found ? strtoull(found + strlen(field), NULL, 10) * 1024 : 0;
}

static uint64_t meminfo_now(const char *field)
{
    char text[4096];
    return host_read_file("/proc/meminfo", text, sizeof text) > 0 ? host_meminfo(text, field) : 0;
}

uint64_t host_mem_total(void)
{
    return meminfo_now("MemTotal:");
}

uint64_t host_mem_available(void)
{
    return meminfo_now("MemAvailable:");
}

void host_identity(struct text *text)
{
    struct utsname names = {0};
    char boot_id[40];
    uname(&names);
    host_boot_id(boot_id);
    json_string(text, "hostname", names.nodename);
    json_string(text, "kernel", names.release);
    json_string(text, "arch", names.machine);
    json_string(text, "boot_id", boot_id);
}

const char *host_stat_field(const char *stat, int number)
{
    const char *name_end = strrchr(stat, ')');
    const char *at = name_end && name_end[1] ? name_end + 2 : NULL;
    for (int i = 3; at && i < number; i++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    return at;
}

uint64_t host_process_started(uint64_t pid, char *name, size_t size)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    if (host_read_file(path, text, sizeof text) <= 0)
        return 0;
    const char *began = host_stat_field(text, 22), *open = strchr(text, '('), *end = strrchr(text, ')');
    if (name && open && end)
        snprintf(name, size, "%.*s (process %" PRIu64 ")", end - open > 20 ? 20 : (int)(end - open) - 1, open + 1, pid);
    return began ? strtoull(began, NULL, 10) : 0;
}

uint64_t host_process_parent(uint64_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    const char *parent = host_read_file(path, text, sizeof text) > 0 ? host_stat_field(text, 4) : NULL;
    return parent ? strtoull(parent, NULL, 10) : 0;
}

bool host_is_probe(const char *name)
{
    char own[64] = "";
    host_process_started((uint64_t)getpid(), own, sizeof own);
    const size_t length = strcspn(own, " ");
    return length > 0 && strncmp(name, own, length) == 0 && name[length] == ' ';
}

uint64_t host_tick_ns(void)
{
    long ticks = sysconf(_SC_CLK_TCK);
    return NS_PER_S / (uint64_t)(ticks > 0 ? ticks : 100);
}

void host_clocksource(struct text *text)
{
    char name[64];
    ssize_t length = host_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
    json_string(text, "clocksource", length > 0 ? name : NULL);
}

int host_cpus(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int host_cpus_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : host_cpus();
}
