#include "appliance.h"

#include "host.h"
#include "mounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARKER "ASSAY_APPLIANCE="
#define ENVIRONMENT_BYTES (128 << 10) /* most environments are far smaller */
#define MOST_ANCESTORS 16

/* The directory of a process's files, as the process sees it; NULL if it has no marker. */
static const char *directory_of(uint64_t pid)
{
    static char text[ENVIRONMENT_BYTES];
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/environ", pid);
    const ssize_t length = host_read_file(path, text, sizeof text);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(text + at) + 1)
        if (strncmp(text + at, MARKER, strlen(MARKER)) == 0)
            return text + at + strlen(MARKER);
    return NULL;
}

static bool shares_disk(const char *device, const struct neighbors *target)
{
    struct disks disks = {.count = 0};
    if (device_names_have(&target->stack, device))
        return true;
    disks_below(device, &disks);
    for (size_t i = 0; i < disks.count; i++) {
        if (device_names_have(&target->stack, disks.list[i].name))
            return true;
        for (size_t j = 0; j < target->disks.count; j++)
            if (strcmp(disks.list[i].name, target->disks.list[j].name) == 0)
                return true;
    }
    return false;
}

/* Whether a directory, as a process sees it, is on the target's disks. */
static bool is_on_disks(uint64_t pid, const char *directory, const struct neighbors *target)
{
    char number[24], device[64] = "";
    struct mounts mounts;
    snprintf(number, sizeof number, "%" PRIu64, pid);
    if (directory[0] == '/' && mounts_read_of(&mounts, number)) {
        const struct mount *mount = mounts_above(&mounts, directory);
        if (mount)
            mount_device(mount, device);
        mounts_free(&mounts);
    }
    return device[0] && shares_disk(device, target);
}

bool appliance_has(uint64_t pid, const struct neighbors *target)
{
    for (int i = 0; i < MOST_ANCESTORS && pid > 1; i++) {
        char name[64] = "";
        host_process_started(pid, name, sizeof name);
        if (host_is_probe(name))
            return false;
        const char *directory = directory_of(pid);
        if (directory)
            return is_on_disks(pid, directory, target);
        pid = host_process_parent(pid);
    }
    return false;
}
