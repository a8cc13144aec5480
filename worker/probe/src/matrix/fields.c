#include "matrix/fields.h"

#include <inttypes.h>

static const char *const operations[] = MATRIX_OPERATION_WORDS;
static const char *const layouts[] = MATRIX_LAYOUT_WORDS;
static const char *const caches[] = MATRIX_CACHE_WORDS;
static const char *const open_modes[] = MATRIX_OPEN_WORDS;

const struct field matrix_fields[] = {
    WORD(struct matrix_trial, operation, operations),
    {.name = "file_size",
     .offset = offsetof(struct matrix_trial, file_size_asked),
     .required = true,
     .least = MATRIX_FILE_SIZE_LEAST,
     .most = MATRIX_FILE_SIZE_MOST},
    NUMBER(struct matrix_trial, block, MATRIX_BLOCK_LEAST, MATRIX_BLOCK_MOST),
    NUMBER(struct matrix_trial, threads, MATRIX_THREADS_LEAST, MATRIX_THREADS_MOST),
    NUMBER(struct matrix_trial, files, MATRIX_FILES_LEAST, MATRIX_FILES_MOST),
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
    if (trial->file_size > MATRIX_FILE_SIZE_MOST / trial->files)
        return plan_refuse(parser, "file_size=%" PRIu64 ": with files=%" PRIu64 " is more than 2^62 bytes; make it smaller",
                           trial->file_size_asked, trial->files);
    common->total_bytes = trial->files * trial->file_size;
    return true;
}
