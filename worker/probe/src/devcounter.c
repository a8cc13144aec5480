#include "devcounter.h"

#include "blockdev.h"
#include "clock.h"
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

static void add(struct devcounter *counter, const char *name)
{
    if (counter->count == DEVCOUNTER_MEMBERS)
        counter->reason = "too_many_members";
    else
        snprintf(counter->names[counter->count++], sizeof *counter->names, "%.63s", name);
}

static void without(struct devcounter *counter, const char *reason)
{
    counter->source = COUNTER_NONE;
    counter->reason = reason;
}

/* If `queue/iostats` is 0, the kernel need not count: the counter may not change. Old kernels
 * count stacked devices anyway, so it is only a doubt. */
static bool is_counted(const char *device)
{
    return blockdev_number(device, "queue/iostats") != 0;
}

/* Adds the entries of a folder of /sys whose names begin with `prefix` and end with `suffix`. */
static void add_entries(struct devcounter *counter, const char *folder, const char *prefix, const char *suffix)
{
    char path[PATH_MAX];
    DIR *entries = opendir(host_path(path, folder));
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && length >= end &&
            strcmp(entry->d_name + length - end, suffix) == 0)
            add(counter, entry->d_name);
    }
    if (entries)
        closedir(entries);
}

/* The hidden disks that are the paths of an NVMe multipath head: nvme0c1n1 of nvme0n1. */
static void add_paths(struct devcounter *counter, const char *head)
{
    int subsystem, space, end = 0;
    if (sscanf(head, "nvme%dn%d%n", &subsystem, &space, &end) != 2 || end == 0)
        return;
    char prefix[32], suffix[32];
    snprintf(prefix, sizeof prefix, "nvme%dc", subsystem);
    snprintf(suffix, sizeof suffix, "n%d", space);
    add_entries(counter, "/sys/block", prefix, suffix);
}

static void find_device(struct devcounter *counter, const char *device)
{
    if (!is_counted(device))
        add_paths(counter, device);
    counter->source = counter->count > 0 ? COUNTER_PATHS : COUNTER_DEVICE;
    if (counter->count == 0)
        add(counter, device);
}

/* How often btrfs stores each byte of data, by its data profile; 0 if there are several. */
static int copies_of(const char *uuid)
{
    static const struct {
        const char *profile;
        int copies;
    } known[] = {{"dup", 2}, {"raid1", 2}, {"raid1c3", 3}, {"raid1c4", 4}, {"raid10", 2}};
    char folder[128], path[PATH_MAX];
    snprintf(folder, sizeof folder, "/sys/fs/btrfs/%.64s/allocation/data", uuid);
    DIR *entries = opendir(host_path(path, folder));
    int copies = 1, profiles = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.' || entry->d_type == DT_REG)
            continue;
        profiles++;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(entry->d_name, known[i].profile) == 0)
                copies = known[i].copies;
    }
    if (entries)
        closedir(entries);
    return profiles > 1 ? 0 : copies;
}

static bool holds(const char *folder, const char *device)
{
    char full[PATH_MAX], path[PATH_MAX + 128];
    snprintf(full, sizeof full, "%s/%s", folder, device);
    return access(host_path(path, full), F_OK) == 0;
}

/* btrfs writes to any of its members, not only to the one that is mounted. */
static void find_btrfs(struct devcounter *counter, const char *device)
{
    char path[PATH_MAX], folder[128] = "";
    DIR *systems = opendir(host_path(path, "/sys/fs/btrfs"));
    for (struct dirent *entry; systems && (entry = readdir(systems));) {
        char candidate[128];
        snprintf(candidate, sizeof candidate, "/sys/fs/btrfs/%.64s/devices", entry->d_name);
        if (entry->d_name[0] != '.' && holds(candidate, device)) {
            snprintf(folder, sizeof folder, "%s", candidate);
            counter->copies = copies_of(entry->d_name);
        }
    }
    if (systems)
        closedir(systems);
    if (!folder[0])
        return without(counter, "members_unknown");
    add_entries(counter, folder, "", "");
    counter->source = counter->count > 1 ? COUNTER_MEMBERS : COUNTER_DEVICE;
    if (counter->copies == 0)
        without(counter, "mixed_profiles");
}

/* The value of `name=` among comma-separated options; false if it is missing. */
static bool option(const char *options, const char *name, char *value, size_t size)
{
    for (const char *at = options; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strlen(name);
        if (strncmp(at, name, length) != 0 || at[length] != '=')
            continue;
        snprintf(value, size, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
        return true;
    }
    return false;
}

/* The realtime section stores the data and the data device the metadata: both are summed. */
static void find_xfs(struct devcounter *counter, const struct mount *mount, const char *device)
{
    char path[PATH_MAX], name[64];
    find_device(counter, device);
    if (counter->source == COUNTER_NONE || !option(mount->super_options, "rtdev", path, sizeof path))
        return;
    if (!mounts_block_name(path, name))
        return without(counter, "members_unknown");
    add(counter, name);
    counter->source = COUNTER_MEMBERS;
}

/* The paths of a multipath head count all of the disk, its neighbors included. */
static void find_neighbors(struct devcounter *counter, const char *device)
{
    struct device_names counted = {0};
    bool by_paths = counter->source == COUNTER_PATHS;
    if (counter->source == COUNTER_NONE || counter->source == COUNTER_SERVER)
        return;
    for (int i = 0; i < counter->count; i++)
        device_names_add(&counted, by_paths ? device : counter->names[i]);
    neighbors_find(&counter->neighbors, &counted);
    if (by_paths) {
        counter->neighbors.count = 0;
        counter->neighbors.known = true;
    }
}

void devcounter_none(struct devcounter *counter)
{
    *counter = (struct devcounter){.copies = 1, .mountstats = -1, .reason = "no_device"};
    for (int i = 0; i < DEVCOUNTER_MEMBERS; i++)
        counter->files[i] = -1;
}

void devcounter_find(struct devcounter *counter, const struct mount *mount)
{
    char device[64];
    devcounter_none(counter);
    counter->reason = NULL;
    mount_device(mount, device);
    if (strcmp(mount->type, "nfs") == 0 || strcmp(mount->type, "nfs4") == 0) {
        counter->source = COUNTER_SERVER;
        snprintf(counter->mount_point, sizeof counter->mount_point, "%s", mount->point);
        add(counter, mount->type);
    } else if (!device[0]) {
        without(counter, "no_device");
    } else if (strcmp(mount->type, "btrfs") == 0) {
        find_btrfs(counter, device);
    } else if (strcmp(mount->type, "xfs") == 0) {
        find_xfs(counter, mount, device);
    } else {
        find_device(counter, device);
    }
    if (counter->reason)
        counter->source = COUNTER_NONE;
    devcounter_check(counter);
    find_neighbors(counter, device);
}

static int open_statistics(const char *device)
{
    char path[PATH_MAX], stat[128];
    snprintf(stat, sizeof stat, "/sys/class/block/%s/stat", device);
    return open(host_path(path, stat), O_RDONLY | O_CLOEXEC);
}

void devcounter_open(struct devcounter *counter)
{
    char path[PATH_MAX];
    struct device_bytes bytes = {0};
    struct neighbors *neighbors = &counter->neighbors;
    for (int i = 0; counter->source != COUNTER_SERVER && counter->source != COUNTER_NONE && i < counter->count; i++)
        counter->files[i] = open_statistics(counter->names[i]);
    for (size_t i = 0; i < neighbors->count; i++)
        neighbors->terms[i].file = open_statistics(neighbors->terms[i].name);
    if (counter->source == COUNTER_SERVER)
        counter->mountstats = open(host_path(path, "/proc/self/mountstats"), O_RDONLY | O_CLOEXEC);
    if (counter->source != COUNTER_NONE && !devcounter_read(counter, &bytes))
        without(counter, "unreadable");
}

void devcounter_close(struct devcounter *counter)
{
    for (int i = 0; i < DEVCOUNTER_MEMBERS; i++)
        if (counter->files[i] >= 0)
            close(counter->files[i]);
    for (size_t i = 0; i < counter->neighbors.count; i++)
        if (counter->neighbors.terms[i].file >= 0)
            close(counter->neighbors.terms[i].file);
    if (counter->mountstats >= 0)
        close(counter->mountstats);
}

void devcounter_check(struct devcounter *counter)
{
    if (counter->source == COUNTER_NONE || counter->source == COUNTER_SERVER)
        return;
    counter->reason = NULL;
    for (int i = 0; i < counter->count; i++)
        if (!is_counted(counter->names[i]))
            counter->reason = "iostats_off";
}

bool devcounter_has_busy(const struct devcounter *counter)
{
    return counter->source == COUNTER_DEVICE;
}

static bool read_device(int file, struct device_bytes *sum)
{
    char text[512];
    uint64_t read, written, busy_ms;
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64 " %*u %*u %" SCNu64, &read, &written, &busy_ms) != 3)
        return false;
    sum->read += read * SECTOR;
    sum->written += written * SECTOR;
    sum->busy_ns += busy_ms * NS_PER_MS;
    return true;
}

/* "device SERVER:/EXPORT mounted on POINT with fstype nfs4 statvers=1.1", later
 * "bytes: NORMAL_READ NORMAL_WRITTEN DIRECT_READ DIRECT_WRITTEN SERVER_READ SERVER_WRITTEN …". */
static bool read_server(const struct devcounter *counter, struct device_bytes *bytes)
{
    bool here = false, found = false;
    int copy = fcntl(counter->mountstats, F_DUPFD_CLOEXEC, 0);
    FILE *lines = copy >= 0 ? fdopen(copy, "r") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    if (!lines) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    rewind(lines);
    while (!found && getline(&line, &capacity, lines) > 0) {
        char *point = strstr(line, " mounted on "), *kind = point ? strstr(point + 12, " with fstype nfs") : NULL;
        if (strncmp(line, "device ", 7) == 0) {
            if (kind)
                *kind = '\0';
            here = kind && strcmp(mounts_unescape(point + 12), counter->mount_point) == 0;
        } else if (here) {
            found = sscanf(line, " bytes: %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &bytes->read, &bytes->written) == 2;
        }
    }
    free(line);
    fclose(lines);
    return found;
}

bool devcounter_has_neighbors(const struct devcounter *counter)
{
    return counter->source != COUNTER_NONE && counter->neighbors.known;
}

/* Subtracted counters may be ahead of the others by what moves between two reads, which the next
 * reading makes up for. */
static void read_neighbors(const struct devcounter *counter, struct device_bytes *bytes)
{
    struct device_bytes sum = {0};
    for (size_t i = 0; i < counter->neighbors.count; i++) {
        const struct neighbor_term *term = &counter->neighbors.terms[i];
        struct device_bytes one = {0};
        if (!read_device(term->file, &one))
            return; /* the last value remains, as of every counter */
        sum.read += one.read * (uint64_t)term->weight; /* wraps around, as do the differences */
        sum.written += one.written * (uint64_t)term->weight;
    }
    bytes->neighbor_read = sum.read;
    bytes->neighbor_written = sum.written;
}

bool devcounter_read(const struct devcounter *counter, struct device_bytes *bytes)
{
    struct device_bytes sum = {0};
    bool good = counter->source != COUNTER_NONE;
    if (counter->source == COUNTER_SERVER)
        good = read_server(counter, &sum);
    for (int i = 0; good && counter->source != COUNTER_SERVER && i < counter->count; i++)
        good = read_device(counter->files[i], &sum);
    if (good) {
        bytes->read = sum.read;
        bytes->written = sum.written;
        bytes->busy_ns = sum.busy_ns;
    }
    read_neighbors(counter, bytes);
    return good;
}

struct neighbor_bytes devcounter_neighbors(const struct device_bytes *before, const struct device_bytes *after)
{
    int64_t read = (int64_t)(after->neighbor_read - before->neighbor_read);
    int64_t written = (int64_t)(after->neighbor_written - before->neighbor_written);
    return (struct neighbor_bytes){read > 0 ? (uint64_t)read : 0, written > 0 ? (uint64_t)written : 0};
}

void devcounter_field(struct text *text, const struct devcounter *counter)
{
    static const char *const sources[] = {"none", "device", "members", "paths", "server"};
    json_open(text, "counter", '{');
    json_string(text, "source", sources[counter->source]);
    json_open(text, "names", '[');
    for (int i = 0; i < counter->count; i++)
        json_string(text, NULL, counter->names[i]);
    json_close(text, ']');
    json_open(text, "disks", '[');
    for (size_t i = 0; i < counter->neighbors.disks.count; i++)
        json_string(text, NULL, counter->neighbors.disks.list[i].name);
    json_close(text, ']');
    json_int(text, "copies", counter->copies > 0 ? counter->copies : 1);
    json_string(text, "reason", counter->reason);
    json_close(text, '}');
}
