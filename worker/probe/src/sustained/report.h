/* What a sustained trial reports: the event of each mark, and the details of the result. */
#ifndef ASSAY_SUSTAINED_REPORT_H
#define ASSAY_SUSTAINED_REPORT_H

#include "attempt.h"

/* Writes the events of the marks that were closed since the last call. */
void report_marks(struct attempt *attempt);

/* Adds the fields of the result's `detail`. */
void report_detail(struct attempt *attempt, struct text *line);

#endif
