/* The manifest of a trial's files: what another process needs to verify them, as lines in the form
 * of a plan's. A `files` line is followed by a `stream` line for each stream, and `end`. The answer
 * is a report, one line in the same form. */
#ifndef ASSAY_SUSTAINED_MANIFEST_H
#define ASSAY_SUSTAINED_MANIFEST_H

#include "attempt.h"
#include "sustained/fields.h"
#include "sustained/verified.h"

#include <stdbool.h>
#include <stdint.h>

struct manifest_stream {
    uint64_t file, pass, first_key; /* of its content */
    uint64_t written;               /* blocks */
};

struct manifest {
    uint64_t v, run, seed, pool_bytes;
    char *workdir; /* the name of the test directory */
    uint64_t position, layout, block, file_bytes, files, cache;
    struct manifest_stream streams[SUSTAINED_STREAMS_MOST];
    uint64_t count;
};

/* Appends the manifest of an attempt whose streams know what they have written. */
void manifest_write(struct text *text, const struct attempt *attempt, const struct pattern *pattern);

/* Parses the text, which is overwritten; false with one line in `error`. Free it in both cases. */
bool manifest_parse(char *text, struct manifest *manifest, char *error, size_t error_size);
void manifest_free(struct manifest *manifest);

/* Appends the report without a newline. */
void report_write(struct text *text, const struct verified *verified);

/* Parses a report, which is overwritten; false with one line in `error`. */
bool report_parse(char *text, struct verified *verified, char *error, size_t error_size);

#endif
