/* Small files beside the large ones of a trial: a set of files of equal length in the target, in
 * directories of at most 1000 files each, named after their numbers. They travel in packs
 * (transfer/fields.h), so that none of them has a round trip of its own.
 *
 * Each is opened, read or written, and closed by itself, through the page cache: O_DIRECT needs
 * lengths that small files do not have. The time to open (at a sink, to create) and to close them is
 * counted apart. The directories are created, and those of a source filled, before the trial. */
#ifndef ASSAY_TRANSFER_SMALLFILES_H
#define ASSAY_TRANSFER_SMALLFILES_H

#include "attempt.h"
#include "histogram.h"
#include "transfer/fields.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How long calls of one kind took. */
struct small_calls {
    uint64_t count, sum_ns, max_ns;
    uint64_t histogram[HISTOGRAM_STEPS];
};

/* Of one thread. */
struct small_times {
    struct small_calls open, close;
};

struct small_files {
    const struct transfer_trial *trial;
    int directory; /* descriptor; -1 if this end has none */
    struct content content;
    uint32_t *crcs; /* of the packs, as they were prepared; NULL at a sink */
    struct small_times *times; /* of each disk thread */
    _Atomic uint64_t sync_ns;  /* time of the final sync of all */
    _Atomic uint64_t changed;  /* number, from 1, of a file that is not as it was prepared; 0 without */
};

/* Creates the directories, and at a source the files. Called by an errand; false with a failure, or
 * without one at a stop. */
bool small_files_open(struct small_files *files, const struct pattern *pattern, struct attempt *attempt);

/* Removes everything. Called by an errand. */
void small_files_close(struct small_files *files, struct attempt *attempt);

/* The bytes of the files' blocks in a file system. */
uint64_t small_files_space(const struct transfer_trial *trial);

/* Generates the data of a pack. */
void small_files_fill(const struct small_files *files, const struct pattern *pattern, uint64_t number, char *data);

/* Reads or creates the files of a pack, as disk thread number `thread`; false with errno, EINTR if
 * `stop` was set. */
bool small_files_read(struct small_files *files, uint64_t thread, uint64_t number, char *data, const atomic_bool *stop);
bool small_files_write(struct small_files *files, uint64_t thread, uint64_t number, const char *data, const atomic_bool *stop);

/* Whether a pack that was read is as it was prepared; false with errno. */
bool small_files_match(struct small_files *files, uint64_t number, uint32_t crc);

/* Makes all of them durable, with the directories that name them; 0 or an errno. */
int small_files_sync(struct small_files *files);

/* Describes an error that only small files have; false if it is none. */
bool small_files_explain(struct small_files *files, int error, struct failure *failure);

/* What the result says of them, if this end has any. */
void small_files_field(struct text *line, const struct small_files *files);

#endif
