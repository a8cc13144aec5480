/* What the job reports beside its samples. */
#ifndef ASSAY_RECORDS_REPORT_H
#define ASSAY_RECORDS_REPORT_H

#include "records/exchange.h"

/* The event `link` of a sample that ended at `end_ns`, CLOCK_MONOTONIC. */
void records_report_link(struct attempt *attempt, uint64_t end_ns);

/* The detail of the result. */
void records_report(struct attempt *attempt, struct text *line);

#endif
