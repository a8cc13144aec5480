/* Block devices as /sys describes them. */
#ifndef ASSAY_BLOCKDEV_H
#define ASSAY_BLOCKDEV_H

#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The disk a device lies on: itself, or the disk of which it is a partition. At least 64 bytes. */
void blockdev_disk(const char *device, char *disk);

/* Attributes of the disk a device lies on; false or -1 where the kernel does not tell. */
bool blockdev_text(const char *device, const char *attribute, char *value, size_t size);
int64_t blockdev_number(const char *device, const char *attribute);

/* The fields that `devices` and a target share: scheduler (the chosen one),
 * read_ahead_bytes, write_cache. */
void blockdev_queue(struct text *text, const char *device);
/* rotational and model, null where unknown; `device` may be empty. */
void blockdev_model(struct text *text, const char *device);

/* The array `devices`: every disk and partition-less device of some size. */
void blockdev_list(struct text *text);

#endif
