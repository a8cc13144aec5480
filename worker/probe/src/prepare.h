/* Preparation of the files that a trial reads: their data is written, synced, dropped from the page
 * cache, and its extents are checked. Each of these functions is called by an errand, and returns
 * false with a failure, or without one at a stop. */
#ifndef ASSAY_PREPARE_H
#define ASSAY_PREPARE_H

#include "attempt.h"

#include <stdbool.h>
#include <stdint.h>

/* Writes the content's bytes [from, from + bytes) to the beginning of a file. */
bool prepare_content(struct workspace *workspace, const struct pattern *pattern, const struct content *content, uint64_t from,
                     int file, uint64_t bytes, struct failure *failure);

/* Syncs a file and drops it from the page cache. */
bool prepare_drop(struct attempt *attempt, int file, const char *doing);

/* Makes sure that the device serves a read of [0, bytes): not in the page cache, written extents.
 * `unwritten` of the findings is EXTENTS_NONE before the first file. */
bool prepare_reading(struct attempt *attempt, int file, uint64_t bytes);

/* Reports pages of the files that a trial overwrites if they are still in the page cache. */
void prepare_overwriting(const struct attempt *attempt, uint64_t checked, uint64_t resident);

/* Notices of the beginning and the end. */
void prepare_begins(struct spool *spool, uint64_t files, uint64_t bytes);
void prepare_ended(struct spool *spool, uint64_t files, uint64_t bytes, uint64_t began_ns);

#endif
