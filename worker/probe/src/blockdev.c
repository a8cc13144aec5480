#include "blockdev.h"

#include "host.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR 512

static bool is_partition(const char *device)
{
    char path[128], place[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/block/%.63s/partition", device);
    return access(host_path(place, path), F_OK) == 0;
}

/* The disk of a device: itself, or the disk of which it is a partition. 64 bytes. */
static void disk_of(const char *device, char *disk)
{
    char path[128], place[PATH_MAX], real[PATH_MAX];
    snprintf(disk, 64, "%.63s", device);
    if (!is_partition(device))
        return;
    snprintf(path, sizeof path, "/sys/class/block/%.63s/..", device);
    if (!realpath(host_path(place, path), real))
        return;
    const char *name = strrchr(real, '/');
    snprintf(disk, 64, "%.63s", name ? name + 1 : real);
}

static bool attribute_text(const char *device, const char *attribute, char *value, size_t size)
{
    char path[PATH_MAX], disk[64];
    disk_of(device, disk);
    snprintf(path, sizeof path, "/sys/class/block/%s/%s", disk, attribute);
    ssize_t length = device[0] ? host_read_file(path, value, size) : -1;
    while (length > 0 && value[length - 1] == ' ')
        value[--length] = '\0'; /* models are padded with spaces */
    return length > 0;
}

static void add_disk(const char *name, struct disks *disks)
{
    struct disk disk = {0};
    char path[PATH_MAX], number[32];
    snprintf(disk.name, sizeof disk.name, "%.63s", name);
    snprintf(path, sizeof path, "/sys/class/block/%s/dev", name);
    if (host_read_file(path, number, sizeof number) <= 0 || sscanf(number, "%u:%u", &disk.major, &disk.minor) != 2)
        return;
    size_t at = 0;
    while (at < disks->count && (disks->list[at].major < disk.major ||
                                 (disks->list[at].major == disk.major && disks->list[at].minor < disk.minor)))
        at++;
    bool known = at < disks->count && disks->list[at].major == disk.major && disks->list[at].minor == disk.minor;
    if (known || disks->count == DISKS_MOST)
        return;
    memmove(&disks->list[at + 1], &disks->list[at], (disks->count - at) * sizeof disk);
    disks->list[at] = disk;
    disks->count++;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

void device_names_add(struct device_names *names, const char *name)
{
    if (names->count < DEVICE_NAMES_MOST && !device_names_have(names, name))
        snprintf(names->list[names->count++], sizeof *names->list, "%.63s", name);
}

bool device_names_have(const struct device_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0)
            return true;
    return false;
}

/* Adds the entries of a device's folder: its slaves or holders, or its partitions (`of` is ""). */
static void add_linked(const char *device, const char *of, struct device_names *names)
{
    char path[PATH_MAX], place[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/block/%.63s/%s", device, of);
    DIR *list = opendir(host_path(place, path));
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (entry->d_name[0] != '.' && (of[0] || (begins(entry->d_name, device) && is_partition(entry->d_name))))
            device_names_add(names, entry->d_name);
    if (list)
        closedir(list);
}

void blockdev_below(const char *device, struct device_names *names)
{
    char disk[64];
    disk_of(device, disk);
    if (strcmp(disk, device) != 0)
        device_names_add(names, disk);
    else
        add_linked(device, "slaves", names);
}

void blockdev_above(const char *device, struct device_names *names)
{
    add_linked(device, "holders", names);
    add_linked(device, "", names);
}

bool blockdev_numbered(unsigned major_number, unsigned minor_number, char *device)
{
    char path[64], place[PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major_number, minor_number);
    if (!realpath(host_path(place, path), real))
        return false;
    snprintf(device, 64, "%.63s", strrchr(real, '/') + 1);
    return true;
}

bool blockdev_backing(const char *loop, char *device)
{
    char file[PATH_MAX];
    struct stat found;
    return attribute_text(loop, "loop/backing_file", file, sizeof file) && stat(file, &found) == 0 &&
           blockdev_numbered(major(found.st_dev), minor(found.st_dev), device);
}

bool blockdev_forwards(const char *device)
{
    static const char *const kinds[] = {"LVM-", "CRYPT-LUKS", "CRYPT-PLAIN", "part"};
    struct device_names below = {0};
    char uuid[160];
    if (is_partition(device))
        return true;
    if (!attribute_text(device, "dm/uuid", uuid, sizeof uuid))
        return false;
    if (begins(uuid, "mpath-"))
        return true;
    blockdev_below(device, &below);
    const char *layer = begins(uuid, "LVM-") ? strrchr(uuid + 4, '-') : NULL; /* as in LVM-…-tpool */
    for (size_t i = 0; below.count == 1 && !layer && i < sizeof kinds / sizeof *kinds; i++)
        if (begins(uuid, kinds[i]))
            return true;
    return false;
}

void disks_below(const char *device, struct disks *disks)
{
    struct device_names seen = {0};
    if (device[0])
        device_names_add(&seen, device);
    for (size_t i = 0; i < seen.count; i++) {
        struct device_names below = {0};
        blockdev_below(seen.list[i], &below);
        for (size_t j = 0; j < below.count; j++)
            device_names_add(&seen, below.list[j]);
        if (below.count == 0)
            add_disk(seen.list[i], disks);
    }
}

static bool is_unique(const char *wwid)
{
    /* "t10." and "nvme." are made of models and serial numbers, which virtual disks repeat;
     * NAA 3 is assigned locally */
    return (strncmp(wwid, "naa.", 4) == 0 && wwid[4] != '3') || strncmp(wwid, "eui.", 4) == 0 ||
           strncmp(wwid, "uuid.", 5) == 0;
}

void disks_list(struct text *text, const struct disks *disks)
{
    json_open(text, "disks", '[');
    for (size_t i = 0; i < disks->count; i++) {
        char wwid[256];
        const char *name = disks->list[i].name;
        bool known = (attribute_text(name, "wwid", wwid, sizeof wwid) || attribute_text(name, "device/wwid", wwid, sizeof wwid)) &&
                     is_unique(wwid);
        json_open(text, NULL, '{');
        json_string(text, "name", name);
        json_string(text, "wwid", known ? wwid : NULL);
        json_close(text, '}');
    }
    json_close(text, ']');
}

int64_t blockdev_number(const char *device, const char *attribute)
{
    char value[32];
    return attribute_text(device, attribute, value, sizeof value) ? strtoll(value, NULL, 10) : -1;
}

static void optional_text(struct text *text, const char *name, const char *device, const char *attribute)
{
    char value[256];
    json_string(text, name, attribute_text(device, attribute, value, sizeof value) ? value : NULL);
}

bool blockdev_scheduler(const char *device, char *name, size_t size)
{
    char schedulers[256];
    if (!attribute_text(device, "queue/scheduler", schedulers, sizeof schedulers))
        return false;
    char *open = strchr(schedulers, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        *close = '\0';
    snprintf(name, size, "%s", close ? open + 1 : schedulers);
    return true;
}

void blockdev_queue(struct text *text, const char *device)
{
    char chosen[256];
    const bool known = blockdev_scheduler(device, chosen, sizeof chosen);
    int64_t read_ahead = blockdev_number(device, "queue/read_ahead_kb");
    json_string(text, "scheduler", known ? chosen : NULL);
    json_known(text, "read_ahead_bytes", read_ahead < 0 ? -1 : read_ahead * 1024);
    optional_text(text, "write_cache", device, "queue/write_cache");
}

void blockdev_model(struct text *text, const char *device)
{
    int64_t rotational = blockdev_number(device, "queue/rotational");
    if (rotational < 0)
        json_null(text, "rotational");
    else
        json_bool(text, "rotational", rotational != 0);
    optional_text(text, "model", device, "device/model");
}

void blockdev_size(struct text *text, const char *name, const char *device)
{
    int64_t sectors = blockdev_number(device, "size");
    json_known(text, name, sectors > 0 ? sectors * SECTOR : -1);
}

static void slaves(struct text *text, const char *device)
{
    struct device_names names = {0};
    add_linked(device, "slaves", &names);
    json_open(text, "slaves", '[');
    for (size_t i = 0; i < names.count; i++)
        json_string(text, NULL, names.list[i]);
    json_close(text, ']');
}

void blockdev_list(struct text *text)
{
    DIR *disks = opendir("/sys/block");
    json_open(text, "devices", '[');
    for (struct dirent *entry; disks && (entry = readdir(disks));) {
        const char *name = entry->d_name;
        if (name[0] == '.' || blockdev_number(name, "size") <= 0)
            continue; /* empty loop devices and drives */
        json_open(text, NULL, '{');
        json_string(text, "name", name);
        blockdev_model(text, name);
        blockdev_size(text, "size_bytes", name);
        blockdev_queue(text, name);
        json_known(text, "logical_block", blockdev_number(name, "queue/logical_block_size"));
        json_known(text, "physical_block", blockdev_number(name, "queue/physical_block_size"));
        slaves(text, name);
        json_close(text, '}');
    }
    json_close(text, ']');
    if (disks)
        closedir(disks);
}
