#include "jobs.h"

/* A line for each job: `NAME_job` is defined in its folder. */
#define JOBS(JOB) \
    JOB(matrix) \
    JOB(sustained) \
    JOB(transfer) \
    JOB(observe)

#define DECLARE(name) extern const struct job name##_job;
#define TYPE(name) &name##_job.type,
#define ENTRY(name) &name##_job,

JOBS(DECLARE)

const struct trial_type *const job_types[] = {JOBS(TYPE) NULL};
static const struct job *const jobs[] = {JOBS(ENTRY) NULL};

const struct job *job_of(const struct plan *plan)
{
    for (size_t i = 0; jobs[i]; i++)
        if (&jobs[i]->type == plan->type)
            return jobs[i];
    return NULL;
}
