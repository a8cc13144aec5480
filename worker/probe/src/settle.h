/* Settles deletions: files of an earlier trial must not be freed and discarded during the next
 * measurement. */
#ifndef ASSAY_SETTLE_H
#define ASSAY_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

struct errand;
struct workdir;

struct settling {
    uint64_t removed_bytes;   /* removed test files since the last settling */
    uint64_t discarded_bytes; /* discarded by the device at the last settling */
};

/* If enough was removed since the last call, makes the file system commit it and waits, at most
 * two seconds, until the device (by name, or empty) processes no more discards. False if it still
 * does. */
bool settle(struct settling *settling, const char *device, const struct workdir *workdir, struct errand *errand);

#endif
