/* Test files: made for a write trial and removed after it, or prepared once as a set that
 * several trials use (those that read, and those that overwrite). A set belongs to an
 * operation, a layout and an asked size; it has the most files, and the largest rounded size, that any
 * such trial of the plan needs, and goes when no later trial needs it. */
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
    uint64_t read[MATRIX_THREADS_MOST]; /* how far each file was read since it was written */
    int made[MATRIX_THREADS_MOST]; /* descriptors of the files that are there */
    uint64_t made_count;
};

struct filesets {
    struct workspace *workspace;
    struct pattern pattern;
    uint64_t identity; /* in each stamp: of this segment of this run */
    uint32_t passes;   /* over files, so far */
    uint64_t keys;     /* of the pattern, used so far: no data is ever written twice */
    struct fileset *list;
    size_t count;
};

/* Makes the pattern and finds which sets the plan's trials need; no file is made yet. */
bool filesets_begin(struct filesets *sets, struct workspace *workspace, struct failure *failure);
void filesets_end(struct filesets *sets);

/* Opens the trial's files: new ones, or those of its set, which is prepared first when it
 * is not there. Fills `files` (as many as trial->files). False on failure, or without one
 * when the run is ending. */
bool files_open(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files, struct failure *failure);

/* Bytes that files_open is going to write first. */
uint64_t files_prepared_bytes(const struct filesets *sets, const struct matrix_trial *trial);

/* Records that a trial has read this many bytes of each of its files; returns how many of them
 * nobody had read since they were written. A cache that no host sees may answer later reads. */
uint64_t files_first_read(struct filesets *sets, const struct matrix_trial *trial, const uint64_t *bytes);

/* Removes all sets that are there, as when a run ends before their last trial. */
void filesets_remove(struct filesets *sets);

/* Closes them and removes what no later trial needs. */
void files_close(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files);

#endif
