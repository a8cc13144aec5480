/* What reading a trial's files back has verified. */
#ifndef ASSAY_SUSTAINED_VERIFIED_H
#define ASSAY_SUSTAINED_VERIFIED_H

#include "testdata.h"

#include <stdbool.h>
#include <stdint.h>

struct verified {
    bool due;       /* the trial is to be read back, and wrote everything */
    bool whole;     /* all files were read */
    int error;      /* errno of the call that ended it early; 0 without */
    uint64_t bytes; /* verified */
    uint64_t ns;    /* in reads */
    uint64_t resident_checked, resident_pages; /* in the page cache after it was dropped */
    struct verification found;
    uint64_t first_stream; /* of the first error */
};

#endif
