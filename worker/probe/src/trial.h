/* One trial, whole: its event, its preparation and measurement by the job, its result, its cleaning. */
#ifndef ASSAY_TRIAL_H
#define ASSAY_TRIAL_H

#include "job.h"
#include "measure.h"

/* What a run's trials are executed with. */
struct executor {
    const struct job *job;
    void *state; /* the job's */
    struct workspace workspace;
    struct instruments instruments;
};

/* Executes a trial; an attempt that was suspended or starved is followed by another one, up to
 * DISTURBED_MOST. A failure that would repeat ends the run. */
void trial_execute(struct executor *executor, struct trial *trial);

#endif
