#include "cgroup.h"

#include "host.h"
#include "mounts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files of a cgroup, whose names differ between the two versions. */
struct group_files {
    const char *limit, *usage, *cache; /* `cache` is the field of memory.stat that counts page cache */
    const char *throttled;             /* the field of cpu.stat, and its unit in ns */
    uint64_t throttled_unit_ns;
};
static const struct group_files group_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_cache ",
                                            "\nthrottled_time ", 1};
static const struct group_files group_v2 = {"memory.max", "memory.current", "\nfile ", "\nthrottled_usec ", 1000};

/* The number in a file of a cgroup, UINT64_MAX if there is none. */
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

/* The memory that a group has left below its limit; its page cache counts as free. */
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

/* Combines the figure of a group with that of the previous ones; UINT64_MAX is none. */
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

/* The figure of `group` and of each group above it, up to the hierarchy's mount. */
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

/* The figure of all cgroups of a controller that contain this process; UINT64_MAX without any. */
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

uint64_t cgroup_mem_limit(void)
{
    uint64_t total = host_mem_total(), limit = fold_groups("memory", least_limit);
    return limit < total ? limit : total;
}

uint64_t cgroup_mem_room(void)
{
    uint64_t available = host_mem_available();
    if (available == 0)
        return 0; /* with the errno of the failed read */
    uint64_t room = fold_groups("memory", least_room);
    return room < available ? room : available;
}

/* Each group counts only the throttling by its own quota, so the times add up. */
static uint64_t throttled_in_all(uint64_t sum, const char *group, const struct group_files *files)
{
    char file[PATH_MAX + 64], text[1024];
    snprintf(file, sizeof file, "%s/cpu.stat", group);
    const char *found = host_read_file(file, text, sizeof text) > 0 ? strstr(text, files->throttled) : NULL;
    if (!found)
        return sum;
    return (sum == UINT64_MAX ? 0 : sum) + strtoull(found + strlen(files->throttled), NULL, 10) * files->throttled_unit_ns;
}

bool cgroup_cpu_throttled(uint64_t *ns)
{
    *ns = fold_groups("cpu", throttled_in_all);
    return *ns != UINT64_MAX;
}

static char without_real_time[PATH_MAX]; /* the topmost group without a budget, or empty */

static uint64_t find_without_real_time(uint64_t figure, const char *group, const struct group_files *files)
{
    (void)files; /* only version 1 has a budget */
    if (group_number(group, "cpu.rt_runtime_us") == 0)
        snprintf(without_real_time, sizeof without_real_time, "%s", group);
    return figure;
}

bool cgroup_lacks_real_time(char *group, size_t size)
{
    without_real_time[0] = '\0';
    fold_groups("cpu", find_without_real_time);
    snprintf(group, size, "%s", without_real_time);
    return group[0] != '\0';
}
