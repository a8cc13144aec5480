/* What arrived at the sink, compared with the input byte by byte. */
#ifndef ASSAY_OBSERVE_ARRIVAL_H
#define ASSAY_OBSERVE_ARRIVAL_H

#include "observe/input.h"

#include <stdbool.h>
#include <stdint.h>

/* Counts are of files or of records. */
struct arrival {
    bool checked;
    uint64_t intact, intact_bytes, missing;
    uint64_t incomplete; /* files that are shorter than the input's, with its content */
    uint64_t wrong;      /* files with other content or more of it; lines that are no record */
    uint64_t duplicate;  /* records that had arrived before */
    uint64_t unexpected; /* files that are not in the input */
    char unexpected_name[128];
};

/* Drops what arrived from the page cache, reads it, and compares. Called by an errand; false with a
 * failure, or without one at a stop. */
bool arrival_check(struct arrival *arrival, const struct input_data *input, struct attempt *attempt, int directory);

#endif
