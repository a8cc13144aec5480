/* One trial, whole: its event, its files, its measurement, its result, its cleaning. */
#ifndef ASSAY_TRIAL_H
#define ASSAY_TRIAL_H

#include "run.h"

#include <stddef.h>

/* Executes the plan's trial `index`; an attempt that was suspended or starved is followed by
 * another one, up to DISTURBED_MOST. A failure that would repeat ends the run (run->ending). */
void trial_execute(struct run *run, size_t index);

#endif
