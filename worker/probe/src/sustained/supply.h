/* What generates the data of all trials of a run: no data repeats within it. */
#ifndef ASSAY_SUSTAINED_SUPPLY_H
#define ASSAY_SUSTAINED_SUPPLY_H

#include "testdata.h"

#include <stdint.h>

struct supply {
    struct pattern pattern;
    uint64_t identity; /* of the run */
    uint32_t passes;
    uint64_t keys;       /* used so far */
    uint64_t fill_files; /* that fill the target */
};

/* Content of a file, of `bytes`, in the present pass. */
static inline struct content supply_content(struct supply *supply, uint64_t file, uint64_t bytes)
{
    const struct content content = {
        .run = supply->identity, .file = (uint32_t)file, .pass = supply->passes, .first_key = supply->keys};
    supply->keys += pattern_keys(&supply->pattern, bytes);
    return content;
}

#endif
