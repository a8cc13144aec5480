/* Reading a write trial's files back after its final sync: every byte that still exists is
 * verified, which of a ring is only what was written last. */
#ifndef ASSAY_SUSTAINED_READBACK_H
#define ASSAY_SUSTAINED_READBACK_H

#include "attempt.h"
#include "sustained/verified.h"

/* Reads and verifies the files, as an errand, and writes the event `readback`; a stop ends it early,
 * as an error does. */
void readback_run(struct attempt *attempt, const struct pattern *pattern, struct verified *verified);

/* Blocks that each stream has written, in its `written`; before they are read back. */
void readback_count(struct attempt *attempt);

/* Reads and verifies the files in this thread; false if that ended early. An errand of the attempt,
 * or another process that has its manifest. */
bool readback_verify(struct attempt *attempt, const struct pattern *pattern, struct verified *verified);

/* Forgets the time of the reads if the process was suspended meanwhile. */
void readback_time(struct attempt *attempt, struct verified *verified);

/* Writes the event `readback`. */
void readback_tell(struct attempt *attempt, const struct verified *verified);

/* Adds the field `read_back` to the result's detail: null if the files are not read back, else what
 * is verified so far, which is nothing. */
void readback_field(struct text *line, const struct verified *verified);

#endif
