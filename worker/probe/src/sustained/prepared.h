/* What was done before a trial; part of its result. */
#ifndef ASSAY_SUSTAINED_PREPARED_H
#define ASSAY_SUSTAINED_PREPARED_H

#include <stdint.h>

struct prepared {
    uint64_t fill_bytes, fill_ns; /* of the files that this attempt added */
    uint64_t level_bytes;         /* not free in the file system after the fill */
    uint64_t size_bytes;          /* of the file system; 0 if it was not filled */
    uint64_t precondition_passes, precondition_bytes, precondition_ns;
    uint64_t idle_ns;
};

#endif
