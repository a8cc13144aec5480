/* A trial of the matrix: files are written or read in blocks by threads. */
#ifndef ASSAY_MATRIX_FIELDS_H
#define ASSAY_MATRIX_FIELDS_H

#include "parameters.h"
#include "plan.h"

struct matrix_trial {
    struct trial common;
    uint64_t operation;
    uint64_t file_size_asked; /* bytes per file, as given in the plan */
    uint64_t file_size;       /* rounded up to whole blocks */
    uint64_t block;
    uint64_t threads;
    uint64_t files; /* requested files, at most the threads */
    uint64_t layout;
    uint64_t cache;
    uint64_t open;
};

extern const struct field matrix_fields[];

/* Rounds the size up to whole blocks, limits the files to the threads, and computes the sum. */
bool matrix_complete(struct parser *parser, struct trial *trial);

#define MATRIX_TYPE \
    {.job = "matrix", .targets = 1, .size = sizeof(struct matrix_trial), .fields = matrix_fields, .complete = matrix_complete}

static inline const struct matrix_trial *matrix_trial(const struct trial *trial)
{
    return (const struct matrix_trial *)trial;
}

#endif
