/* The jobs that this probe knows. */
#ifndef ASSAY_JOBS_H
#define ASSAY_JOBS_H

#include "job.h"

/* The types of their trials, for plan_parse, ended by NULL. */
extern const struct trial_type *const job_types[];

/* The job of a parsed plan. */
const struct job *job_of(const struct plan *plan);

#endif
