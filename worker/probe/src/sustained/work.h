/* The state of an attempt: its streams with their data, order, memory and turns, and the pool of their
 * threads. */
#ifndef ASSAY_WORK_H
#define ASSAY_WORK_H

#include "attempt.h"
#include "sustained/stream.h"
#include "sustained/supply.h"

#include <stdbool.h>

/* What generates the data of the attempt's run. */
struct supply *work_supply(const struct attempt *attempt);

/* Makes the streams, each with data of its own; NULL without memory. */
struct work *work_make(const struct attempt *attempt);

/* Gives the streams their windows and turns, and makes the pool; false with a failure. */
bool work_make_pool(struct attempt *attempt);

void work_free(struct work *own);

#endif
