#include "host.h"

#include "mounts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

ssize_t host_read_file(const char *path, char *buffer, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
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

/* Reads a limit in `group` and in each group above it, up to the hierarchy's mount. */
static uint64_t least_limit(const char *mount, const char *group, const char *name, uint64_t limit)
{
    char path[PATH_MAX], file[PATH_MAX + 64], text[64];
    if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
        return limit;
    while (strlen(path) >= strlen(mount)) {
        snprintf(file, sizeof file, "%s/%s", path, name);
        if (host_read_file(file, text, sizeof text) > 0 && text[0] >= '0' && text[0] <= '9') {
            uint64_t value = strtoull(text, NULL, 10);
            limit = value < limit ? value : limit;
        }
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return limit;
}

static bool has_option(const char *options, const char *option)
{
    const char *found = strstr(options, option);
    size_t length = strlen(option);
    return found && (found == options || found[-1] == ',') && (found[length] == ',' || found[length] == '\0');
}

uint64_t host_mem_limit(void)
{
    uint64_t limit = host_mem_total();
    char groups[8192];
    struct mounts mounts;
    if (host_read_file("/proc/self/cgroup", groups, sizeof groups) <= 0 || !mounts_read(&mounts))
        return limit;
    char *rest = groups;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        bool second = strcmp(controllers, ":") == 0;
        if (!second && !has_option(controllers + 1, "memory"))
            continue;
        for (size_t i = 0; i < mounts.count; i++) {
            const struct mount *mount = &mounts.list[i];
            if (second && strcmp(mount->type, "cgroup2") == 0)
                limit = least_limit(mount->point, group, "memory.max", limit);
            if (!second && strcmp(mount->type, "cgroup") == 0 && has_option(mount->super_options, "memory"))
                limit = least_limit(mount->point, group, "memory.limit_in_bytes", limit);
        }
    }
    mounts_free(&mounts);
    return limit;
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

int host_cpus(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
