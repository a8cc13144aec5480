#include "kthreads.h"

#include "host.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD */
#define SEPARATORS "/-_"

bool kthread_is(uint64_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    const char *flags = host_read_file(path, text, sizeof text) > 0 ? host_stat_field(text, 9) : NULL;
    return flags && (strtoul(flags, NULL, 10) & KERNEL_THREAD);
}

/* Whether a part of a name is a block device's name, or its number; `device` gets the name. */
static bool is_device(const char *part, char *device)
{
    char path[128], place[PATH_MAX];
    unsigned major_number, minor_number;
    int end = 0;
    if (sscanf(part, "%u:%u%n", &major_number, &minor_number, &end) == 2 && part[end] == '\0')
        return blockdev_numbered(major_number, minor_number, device);
    snprintf(device, 64, "%.63s", part);
    snprintf(path, sizeof path, "/sys/class/block/%s", device);
    return part[0] && strcmp(part, ".") != 0 && strcmp(part, "..") != 0 && access(host_path(place, path), F_OK) == 0;
}

/* What a worker works on stands after its pool: "kworker/u8:0-loop7", or with "+" while it does. */
static const char *without_pool(const char *name)
{
    if (strncmp(name, "kworker/", 8) != 0)
        return name;
    const char *work = strpbrk(name, "-+");
    return work ? work + 1 : "";
}

/* Device names may have separators themselves (dm-0), so the longest part is tried first. */
static bool device_in(const char *name, char *device)
{
    for (const char *start = without_pool(name); start && *start;) {
        char part[64];
        snprintf(part, sizeof part, "%.63s", start);
        for (char *cut = part + strlen(part); cut; cut = strrchr(part, '-')) {
            *cut = '\0';
            part[strcspn(part, "/_")] = '\0';
            if (is_device(part, device))
                return true;
        }
        start = strpbrk(start, SEPARATORS);
        start = start ? start + 1 : NULL;
    }
    return false;
}

/* A thread that rebuilds or checks an array serves no trial, although its device does. */
static bool is_rebuild(const char *name)
{
    static const char *const endings[] = {"_resync", "_recovery", "_reshape"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

enum kthread_use kthread_use(const char *name, const struct device_names *stack)
{
    char device[64];
    if (!device_in(name, device))
        return KTHREAD_UNKNOWN;
    if (is_rebuild(name))
        return KTHREAD_OF_OTHERS;
    return device_names_have(stack, device) ? KTHREAD_OF_TARGET : KTHREAD_OF_OTHERS;
}

enum kthread_use kthread_use_of(uint64_t pid, const struct device_names *stack)
{
    char path[64], name[128];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/comm", pid);
    return host_read_file(path, name, sizeof name) > 0 ? kthread_use(name, stack) : KTHREAD_UNKNOWN;
}
