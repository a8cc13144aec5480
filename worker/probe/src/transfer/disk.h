/* The files of a source or sink on disk: one for each disk thread. */
#ifndef ASSAY_TRANSFER_DISK_H
#define ASSAY_TRANSFER_DISK_H

#include "transfer/pipeline.h"

/* What the job keeps for the whole run. */
struct supply {
    struct pattern pattern;
    uint64_t identity; /* in each stamp: of this segment of this run */
    uint32_t passes;
    uint64_t keys; /* of the pattern, used so far */
};

/* The content of data that is generated now; `bytes` of it follow each other. */
struct content supply_content(struct supply *supply, uint64_t bytes);

/* Creates the files; those of a source are written, synced, dropped from the page cache, and
 * looked through for unwritten extents. Called by an errand; false with a failure, or without one
 * at a stop. */
bool disk_open(struct transfer *transfer, struct supply *supply, struct attempt *attempt);

/* Removes them. Called by an errand. */
void disk_close(struct transfer *transfer, struct attempt *attempt);

#endif
