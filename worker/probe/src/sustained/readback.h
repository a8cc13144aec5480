/* Reading a write trial's files back after its final sync: every byte that still exists is
 * verified, which of a ring is only what was written last. */
#ifndef ASSAY_SUSTAINED_READBACK_H
#define ASSAY_SUSTAINED_READBACK_H

#include "attempt.h"
#include "sustained/verified.h"

/* Reads and verifies the files, as an errand, and writes the event `readback`; a stop ends it early,
 * as an error does. */
void readback_run(struct attempt *attempt, const struct pattern *pattern, struct verified *verified);

/* Adds the field `read_back` to the result's detail: null if the files are not read back, else what
 * is verified so far, which is nothing. */
void readback_field(struct text *line, const struct verified *verified);

#endif
