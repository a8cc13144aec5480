/* What reading a trial's files back has verified. */
#ifndef ASSAY_SUSTAINED_VERIFIED_H
#define ASSAY_SUSTAINED_VERIFIED_H

#include "testdata.h"

#include <stdbool.h>
#include <stdint.h>

#define VERIFIED_WHY 256

struct verified {
    bool due;       /* the trial is to be read back, and wrote everything */
    bool elsewhere; /* by another host */
    bool whole;     /* all files were read */
    char why[VERIFIED_WHY]; /* it ended early; empty if it did not, or after a stop */
    uint64_t bytes; /* verified */
    uint64_t ns;    /* in reads; 0 if the process was suspended meanwhile */
    uint64_t resident_checked, resident_pages; /* in the page cache after it was dropped */
    struct verification found;
    uint64_t first_stream; /* of the first error */
};

#endif
