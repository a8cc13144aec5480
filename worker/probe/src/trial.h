/* One trial: its event, its preparation and measurement by the job, its result, and its cleanup. */
#ifndef ASSAY_TRIAL_H
#define ASSAY_TRIAL_H

#include "job.h"
#include "measure.h"

/* What is needed to execute the trials of a run. */
struct executor {
    const struct job *job;
    void *state; /* the job's */
    struct workspace workspace;
    struct instruments instruments;
};

/* Executes a trial; a suspended or starved attempt is followed by another one, up to
 * DISTURBED_MOST. A failure that would repeat ends the run. */
void trial_execute(struct executor *executor, struct trial *trial);

#endif
