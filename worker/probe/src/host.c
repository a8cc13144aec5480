#include "host.h"

#include "clock.h"
#include "mounts.h"

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

/* The files of a cgroup, which the two versions name differently. */
struct group_files {
    const char *limit, *usage, *cache; /* `cache` is the field of memory.stat that counts page cache */
    const char *throttled;             /* the field of cpu.stat, and what its unit is in ns */
    uint64_t throttled_unit_ns;
};
static const struct group_files group_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_cache ",
                                            "\nthrottled_time ", 1};
static const struct group_files group_v2 = {"memory.max", "memory.current", "\nfile ", "\nthrottled_usec ", 1000};

/* The number in a file of a cgroup, UINT64_MAX where there is none. */
static uint64_t group_number(const char *group, const char *name)
{
    char file[PATH_MAX + 64], text[64];
    snprintf(file, sizeof file, "%s/%s", group, name);
    bool is_number = host_read_file(file, text, sizeof text) > 0 && text[0] >= '0' && text[0] <= '9';
    return is_number ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static uint64_t limit_of(const char *group, const struct group_files *files)
{
    return group_number(group, files->limit);
}

/* What a group has left below its limit; its page cache gives way. */
static uint64_t room_of(const char *group, const struct group_files *files)
{
    char file[PATH_MAX + 64], text[8192] = "\n";
    uint64_t limit = group_number(group, files->limit), usage = group_number(group, files->usage);
    if (limit == UINT64_MAX || usage == UINT64_MAX)
        return UINT64_MAX;
    snprintf(file, sizeof file, "%s/memory.stat", group);
    host_read_file(file, text + 1, sizeof text - 1);
    const char *found = strstr(text, files->cache);
    uint64_t cache = found ? strtoull(found + strlen(files->cache), NULL, 10) : 0;
    uint64_t kept = usage > cache ? usage - cache : 0;
    return limit > kept ? limit - kept : 0;
}

/* Takes the figure of a group together with that of those before it; UINT64_MAX is none. */
typedef uint64_t fold_group(uint64_t figure, const char *group, const struct group_files *files);

static uint64_t least_limit(uint64_t least, const char *group, const struct group_files *files)
{
    uint64_t limit = limit_of(group, files);
    return limit < least ? limit : least;
}

static uint64_t least_room(uint64_t least, const char *group, const struct group_files *files)
{
    uint64_t room = room_of(group, files);
    return room < least ? room : least;
}

/* Of `group` and of each group above it, up to the hierarchy's mount. */
static uint64_t fold_above(uint64_t figure, const char *mount, const char *group, const struct group_files *files,
                           fold_group *fold)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
        return figure;
    while (strlen(path) >= strlen(mount)) {
        figure = fold(figure, path, files);
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return figure;
}

static bool has_option(const char *options, const char *option)
{
    const char *found = strstr(options, option);
    size_t length = strlen(option);
    return found && (found == options || found[-1] == ',') && (found[length] == ',' || found[length] == '\0');
}

/* Of all cgroups of a controller that this process is in; UINT64_MAX without any. */
static uint64_t fold_groups(const char *controller, fold_group *fold)
{
    uint64_t figure = UINT64_MAX;
    char groups[8192];
    struct mounts mounts;
    if (host_read_file("/proc/self/cgroup", groups, sizeof groups) <= 0 || !mounts_read(&mounts))
        return figure;
    char *rest = groups;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        bool second = strcmp(controllers, ":") == 0;
        if (!second && !has_option(controllers + 1, controller))
            continue;
        for (size_t i = 0; i < mounts.count; i++) {
            const struct mount *mount = &mounts.list[i];
            if (second && strcmp(mount->type, "cgroup2") == 0)
                figure = fold_above(figure, mount->point, group, &group_v2, fold);
            if (!second && strcmp(mount->type, "cgroup") == 0 && has_option(mount->super_options, controller))
                figure = fold_above(figure, mount->point, group, &group_v1, fold);
        }
    }
    mounts_free(&mounts);
    return figure;
}

uint64_t host_mem_limit(void)
{
    uint64_t total = host_mem_total(), limit = fold_groups("memory", least_limit);
    return limit < total ? limit : total;
}

uint64_t host_mem_room(void)
{
    uint64_t available = host_mem_available();
    if (available == 0)
        return 0; /* with the errno of why it cannot be read */
    uint64_t room = fold_groups("memory", least_room);
    return room < available ? room : available;
}

/* A group counts only by its own quota, so the times of all add up. */
static uint64_t throttled_in_all(uint64_t sum, const char *group, const struct group_files *files)
{
    char file[PATH_MAX + 64], text[1024];
    snprintf(file, sizeof file, "%s/cpu.stat", group);
    const char *found = host_read_file(file, text, sizeof text) > 0 ? strstr(text, files->throttled) : NULL;
    if (!found)
        return sum;
    return (sum == UINT64_MAX ? 0 : sum) + strtoull(found + strlen(files->throttled), NULL, 10) * files->throttled_unit_ns;
}

bool host_cpu_throttled(uint64_t *ns)
{
    *ns = fold_groups("cpu", throttled_in_all);
    return *ns != UINT64_MAX;
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
