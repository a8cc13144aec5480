/* Test files: created for a write trial and removed after it, or prepared once as a set that
 * several trials use (those that read, and those that overwrite). A set belongs to an operation,
 * a layout and a requested size; it has the largest number of files and the largest rounded size
 * of all such trials of the plan, and is removed when no later trial needs it. */
#ifndef ASSAY_MATRIX_FILESETS_H
#define ASSAY_MATRIX_FILESETS_H

#include "blocks.h"
#include "failure.h"
#include "matrix/fields.h"
#include "workspace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fileset {
    uint64_t operation, layout, file_size_asked;
    uint64_t file_size, files;
    struct content content; /* of its first file, by the last pass that prepared it */
    uint64_t last_trial; /* its position in the plan */
    uint64_t read[MATRIX_THREADS_MOST]; /* how far each file has been read since it was written */
    int made[MATRIX_THREADS_MOST]; /* descriptors of the existing files */
    uint64_t made_count;
};

struct filesets {
    struct workspace *workspace;
    struct pattern pattern;
    uint64_t identity; /* in each stamp: of this segment of this run */
    uint32_t passes;   /* over files, so far */
    uint64_t keys;     /* of the pattern, used so far: the same data is never written twice */
    struct fileset *list;
    size_t count;
};

/* Creates the pattern and determines the sets that the plan's trials need; creates no file. */
bool filesets_begin(struct filesets *sets, struct workspace *workspace, struct failure *failure);
void filesets_end(struct filesets *sets);

/* Opens the trial's files: new ones, or those of its set, which is prepared first if it does not
 * exist. Fills `files` (as many as trial->files). False on failure, or without a failure if the
 * run is ending. */
bool files_open(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files, struct failure *failure);

/* Bytes that files_open will write first. */
uint64_t files_prepared_bytes(const struct filesets *sets, const struct matrix_trial *trial);

/* Records that a trial has read this many bytes of each of its files; returns the number of bytes
 * that had not been read since they were written. Later reads may be served by a cache that no
 * host can see. */
uint64_t files_first_read(struct filesets *sets, const struct matrix_trial *trial, const uint64_t *bytes);

/* Removes all existing sets, for instance when a run ends before their last trial. */
void filesets_remove(struct filesets *sets);

/* Closes the files and removes those that no later trial needs. */
void files_close(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files);

#endif
