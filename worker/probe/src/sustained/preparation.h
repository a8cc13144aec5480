/* What a sustained trial does before it is measured: fill the target's file system to a level,
 * write the working set several times (SNIA's preconditioning), and rest. */
#ifndef ASSAY_SUSTAINED_PREPARATION_H
#define ASSAY_SUSTAINED_PREPARATION_H

#include "attempt.h"
#include "sustained/prepared.h"
#include "sustained/supply.h"

#include <stdbool.h>
#include <stdint.h>

/* Fills the file system until only 100 - `percent` % of it are free, if that leaves room for the
 * reserve and the trial's `planned` bytes. Its files are named, survive the trial, and are removed
 * at the end of the run. Called by an errand; false with a failure, or at a stop. */
bool preparation_fill(struct attempt *attempt, struct supply *supply, uint64_t percent, uint64_t planned,
                      struct prepared *done);

/* Waits; false at a stop. Called by an errand. */
bool preparation_idle(struct attempt *attempt, uint64_t idle_ns, struct prepared *done);

/* Writes the open files of a trial's streams `passes` times, then syncs them and drops them from
 * the page cache. Called by an errand; false with a failure, or at a stop. */
bool preparation_precondition(struct attempt *attempt, struct supply *supply, uint64_t passes, struct prepared *done);

/* Adds the field `preparation` to the result's detail. */
void preparation_field(struct text *line, const struct prepared *done);

#endif
