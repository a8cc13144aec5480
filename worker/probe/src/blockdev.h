/* Block devices as /sys describes them. */
#ifndef ASSAY_BLOCKDEV_H
#define ASSAY_BLOCKDEV_H

#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISKS_MOST 64

/* Whole disks, in the order of their numbers, each once. */
struct disks {
    struct disk {
        char name[64];
        unsigned major, minor;
    } list[DISKS_MOST];
    size_t count;
};

#define DEVICE_NAMES_MOST 256

/* Names of block devices, each once. */
struct device_names {
    char list[DEVICE_NAMES_MOST][64];
    size_t count;
};

/* Adds a name, unless it is known or there is no room. */
void device_names_add(struct device_names *names, const char *name);
bool device_names_have(const struct device_names *names, const char *name);

/* Adds what a device is made of: the disk of a partition, or the devices of a mapping or RAID. */
void blockdev_below(const char *device, struct device_names *names);

/* Adds what is made of a device: its partitions, and the mappings and RAIDs that use it. */
void blockdev_above(const char *device, struct device_names *names);

/* Whether a device passes each byte to those below it exactly once: a partition, a multipath, a
 * linear volume or an encrypted one. RAID, caches and thin pools do not. */
bool blockdev_forwards(const char *device);

/* The device of the file system with the file of a loop device, 64 bytes; false if there is none,
 * or if this process cannot see it. */
bool blockdev_backing(const char *loop, char *device);

/* The name of the device with a number, 64 bytes; false if there is none. */
bool blockdev_numbered(unsigned major, unsigned minor, char *device);

/* Adds the disks below a device, through partitions, mappings and RAID; a loop device counts as a
 * disk. Adds nothing for an empty name. */
void disks_below(const char *device, struct disks *disks);

/* The array `disks`: name, and the worldwide unique identifier (NAA, EUI-64 or UUID) as `wwid`,
 * null if there is none. */
void disks_list(struct text *text, const struct disks *disks);

/* The number of the disk that a device is on; -1 if the kernel does not report it. */
int64_t blockdev_number(const char *device, const char *attribute);

/* The I/O scheduler in use; false if the kernel does not report it. */
bool blockdev_scheduler(const char *device, char *name, size_t size);

/* The fields that `devices` and a target share: scheduler (the chosen one),
 * read_ahead_bytes, write_cache. */
void blockdev_queue(struct text *text, const char *device);
/* rotational and model, null where unknown; `device` may be empty. */
void blockdev_model(struct text *text, const char *device);
/* The whole disk's bytes, null where unknown; `device` may be empty or a partition. */
void blockdev_size(struct text *text, const char *name, const char *device);

/* The array `devices`: every disk and partition-less device of some size. */
void blockdev_list(struct text *text);

#endif
