/* What a path reports beside its samples: its link, and the stages' waits. */
#ifndef ASSAY_TRANSFER_REPORT_H
#define ASSAY_TRANSFER_REPORT_H

#include "transfer/pipeline.h"

/* The event `link` of a sample that ended at `end_ns`, CLOCK_MONOTONIC. */
void report_link(struct attempt *attempt, uint64_t end_ns);

/* The detail of the result. */
void report_path(struct attempt *attempt, struct text *line);

#endif
