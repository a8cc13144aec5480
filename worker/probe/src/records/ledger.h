/* What was found of one sender's sequence: each record that was read is intact, a duplicate or wrong,
 * and what was passed over is missing until it comes. */
#ifndef ASSAY_RECORDS_LEDGER_H
#define ASSAY_RECORDS_LEDGER_H

#include "records/record.h"

#include <stdbool.h>
#include <stdint.h>

#define GAPS_MOST 1024

/* Numbers [from, until) of a sequence. */
struct gap {
    uint64_t from, until;
};

struct ledger {
    struct origin origin;
    uint64_t end;    /* one more than the highest number found */
    uint64_t intact; /* different records */
    uint64_t late;   /* of these, found after a later one */
    uint64_t duplicates, wrong, missing;
    struct gap gaps[GAPS_MOST]; /* ascending */
    uint64_t gap_count;
    bool overflowed; /* there were more gaps: a late record may be counted as a duplicate */
};

/* Reads records that follow each other, all of this sender. */
void ledger_read(struct ledger *ledger, const char *from, uint64_t count);

/* Reads records of any of the senders. `wrong` counts those of none, and `torn` those of which only the
 * beginning was written, because no byte of a record is zero. Stops at the first record that is all
 * zeros; returns how many were read. */
uint64_t ledgers_read(struct ledger *ledgers, uint64_t senders, const char *from, uint64_t count, uint64_t *wrong,
                      uint64_t *torn);

/* How many of the sequence's first `count` records were not found. */
uint64_t ledger_lost(const struct ledger *ledger, uint64_t count);

#endif
