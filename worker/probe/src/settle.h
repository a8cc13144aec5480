/* Settles deletions: files of an earlier trial must not be freed and discarded while the next
 * one is measured. */
#ifndef ASSAY_SETTLE_H
#define ASSAY_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

struct errand;
struct workdir;

struct settling {
    uint64_t removed_bytes;   /* of test files, since that was settled */
    uint64_t discarded_bytes; /* by the device when that was settled */
};

/* Where enough was removed since the last call, has the file system commit that and waits, two
 * seconds at most, until the device (its name, or empty) takes no more discards. False when it still does. */
bool settle(struct settling *settling, const char *device, const struct workdir *workdir, struct errand *errand);

#endif
