/* Counting the records of a receiver's file again: after its trial, or in a file that a killed probe
 * left. */
#ifndef ASSAY_RECORDS_RECOUNT_H
#define ASSAY_RECORDS_RECOUNT_H

#include "attempt.h"
#include "records/fields.h"
#include "records/ledger.h"

struct recount {
    const struct records_trial *trial;
    uint64_t attempt; /* whose file it is */
    int file;
    bool left;
    const struct recipe *recipe;
    struct ledger *ledgers; /* of each sender */
    const uint64_t *expected; /* records of each sender that should be in the file; NULL if unknown */
    uint64_t wrong, torn, blank_bytes, bytes, ns;
    uint64_t deadline_ns; /* CLOCK_MONOTONIC */
    bool whole;
    char why[160]; /* what failed; empty if nothing did */
};

/* Reads the file and emits `recount`. Called by an errand; false at a stop or after a failure. */
bool recount_run(struct recount *recount, struct workspace *workspace);

#endif
