/* Test files: made for a write trial and removed after it, or prepared once as a set that
 * several trials use (those that read, and those that overwrite). A set belongs to a kind,
 * a layout and an asked size; it has the most files, and the largest rounded size, that any
 * such trial of the plan needs, and goes when no later trial needs it. */
#ifndef ASSAY_FILESETS_H
#define ASSAY_FILESETS_H

#include "buffers.h"
#include "failure.h"
#include "lanes.h"
#include "plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

struct fileset {
    uint64_t kind, layout, file_size_asked;
    uint64_t file_size, files;
    struct content content; /* of its first file, by the last pass that prepared it */
    size_t last_trial; /* index in the plan */
    uint64_t read[LANES_MOST]; /* how far each file was read since it was written */
    int made[LANES_MOST]; /* descriptors of the files that are there */
    uint64_t made_count;
};

struct filesets {
    struct fileset *list;
    size_t count;
};

/* Finds which sets the plan's trials need; nothing is made yet. */
bool filesets_plan(struct filesets *sets, const struct plan *plan);
void filesets_free(struct filesets *sets);

/* Opens the trial's files: new ones, or those of its set, which is prepared first when it
 * is not there. Fills `files` (as many as trial->files). False on failure, or without one
 * when the run is ending. */
bool files_open(struct run *run, size_t index, struct test_file *files, struct failure *failure);

/* Bytes that files_open is going to write first. */
uint64_t files_prepared_bytes(const struct run *run, size_t index);

/* Notes that a trial has read so many bytes of each of its files: how many of them nobody had
 * read since they were written. A cache that no host sees may answer later reads. */
uint64_t files_first_read(struct run *run, size_t index, const uint64_t *bytes);

/* Removes all sets that are there, as when a run ends before their last trial. */
void filesets_remove(struct run *run);

/* Closes them and removes what no later trial needs. */
void files_close(struct run *run, size_t index, struct test_file *files);

#endif
