/* Reading back by another host: the writer keeps its files, publishes their manifest, and waits for
 * the report, which `verified` leaves in the run directory. */
#ifndef ASSAY_SUSTAINED_HANDOVER_H
#define ASSAY_SUSTAINED_HANDOVER_H

#include "attempt.h"
#include "sustained/verified.h"

/* Writes `written`, waits for the report of this attempt, as an errand, and writes `readback`; a stop
 * ends it early. */
void handover_run(struct attempt *attempt, const struct pattern *pattern, struct verified *verified);

#endif
