/* What a transfer reports beside its samples: the streams' TCP_INFO, the stages' waits, the card. */
#ifndef ASSAY_TRANSFER_REPORT_H
#define ASSAY_TRANSFER_REPORT_H

#include "transfer/pipeline.h"

/* The lowest smoothed round-trip time of the streams now, in ns; 0 if there is none. */
uint64_t report_rtt(const struct link *link);

/* Counters of the card and of the host's soft interrupts at the trial's start. */
void report_begin(struct attempt *attempt);

/* The event `link` of a sample that ended at `end_ns`, CLOCK_MONOTONIC. */
void report_link(struct attempt *attempt, uint64_t end_ns);

/* The detail of the result. */
void report_path(struct attempt *attempt, struct text *line);

#endif
