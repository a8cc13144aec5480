#include "matrix/fields.h"

#include <inttypes.h>

#define TOTAL_LIMIT (1ull << 62)

static const char *const operations[] = {"write", "read", NULL};
static const char *const layouts[] = {"fresh", "preallocated", "overwrite", NULL};
static const char *const caches[] = {"page", "direct", NULL};
static const char *const open_modes[] = {"rw", "rwd", "rws", NULL};

const struct field matrix_fields[] = {
    WORD(struct matrix_trial, operation, operations),
    {.name = "file_size",
     .offset = offsetof(struct matrix_trial, file_size_asked),
     .required = true,
     .least = 1,
     .most = TOTAL_LIMIT},
    NUMBER(struct matrix_trial, block, 512, 67108864),
    NUMBER(struct matrix_trial, threads, 1, MATRIX_THREADS_MOST),
    NUMBER(struct matrix_trial, files, 1, MATRIX_THREADS_MOST),
    WORD(struct matrix_trial, layout, layouts),
    WORD(struct matrix_trial, cache, caches),
    WORD(struct matrix_trial, open, open_modes),
    {.name = NULL},
};

bool matrix_complete(struct parser *parser, struct trial *common)
{
    struct matrix_trial *trial = (struct matrix_trial *)common;
    if (trial->files > trial->threads)
        trial->files = trial->threads;
    trial->file_size = (trial->file_size_asked + trial->block - 1) / trial->block * trial->block;
    if (trial->file_size > TOTAL_LIMIT / trial->files)
        return plan_refuse(parser, "file_size=%" PRIu64 ": with files=%" PRIu64 " is more than 2^62 bytes; make it smaller",
                           trial->file_size_asked, trial->files);
    common->total_bytes = trial->files * trial->file_size;
    return true;
}
