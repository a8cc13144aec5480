/* The plan of one run, which the worker sends on standard input. One record per line: `plan`,
 * then each `target`, then each `trial`, then `end`. contract/plan.md lists the fields; a trial
 * has the common fields and those of its job. A bad field rejects the whole plan with one line
 * that names it. */
#ifndef ASSAY_PLAN_H
#define ASSAY_PLAN_H

#include "fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of suspended or starved attempts at a trial. */
#define DISTURBED_MOST 3
#define TARGETS_MOST 16

/* The common fields of all jobs' trials; each job's record begins with them. */
struct trial {
    uint64_t position; /* in the run, from 0; this plan may omit earlier trials */
    uint64_t attempt;
    uint64_t timeout_ms;      /* of the work */
    uint64_t sync_timeout_ms; /* of the final sync */
    uint64_t disturbed;       /* attempts so far that were suspended or starved */
    uint64_t done_bytes;      /* measured by earlier attempts, which this one continues; 0 if it does not */
    uint64_t done_ns;
    uint64_t total_bytes;     /* transferred by a complete attempt, 0 if a time ends it; set by the job's `complete` */
};

struct plan;

/* The format of a job's trials in a plan. */
struct trial_type {
    const char *job;            /* its name in the plan */
    uint64_t targets;           /* how many a plan has */
    bool optional_targets;      /* it may have fewer, and none is memory */
    size_t size;                /* of its record */
    const struct field *fields; /* beyond the common ones, at most 32 */
    /* Checks fields against each other and fills what follows from them. */
    bool (*complete)(struct parser *parser, struct trial *trial);
    /* Shortens the trial by what is done; NULL if each attempt starts anew. */
    void (*resume)(struct trial *trial);
    /* Checks a trial against the whole plan; NULL if any plan will do. */
    bool (*check)(struct parser *parser, const struct plan *plan, struct trial *trial);
};

struct plan_target {
    char *path;
    char *role;    /* NULL if the plan omits it, as for the following ones */
    char *fs_type;
    char *fs_source;
    char *fs_uuid;
    uint64_t reserve_bytes;
};

struct plan {
    char *job;
    char *run;
    char *group; /* NULL: only this run */
    char *role;  /* of this participant; NULL if the plan omits it */
    char *token; /* the secret of the run's participants; NULL if the plan omits it */
    uint64_t generation;
    uint64_t watch_ms;
    uint64_t sample_ms;
    uint64_t max_buffer_bytes; /* 0: a tenth of the available memory */
    uint64_t hang_ms;          /* a call that takes longer is abandoned */
    uint64_t spool_bytes;      /* the spool's limit */
    uint64_t pool_bytes;       /* random data that is the source of what threads write */
    uint64_t read_bytes;       /* part of the spool that the worker has stored */
    uint64_t read_events;
    uint64_t barrier; /* whether each trial waits for its release */
    struct plan_target targets[TARGETS_MOST];
    size_t target_count;
    const struct trial_type *type;
    char *trials; /* records of type->size bytes */
    size_t count;
};

static inline struct trial *plan_trial(const struct plan *plan, size_t index)
{
    return (struct trial *)(plan->trials + index * plan->type->size);
}

/* Fills `plan` from `length` bytes; `types` are the jobs that this probe knows, ended by NULL. On
 * failure writes one line to `error` (what, why, remedy). The plan is freed by plan_free in both
 * cases. */
bool plan_parse(const char *text, size_t length, const struct trial_type *const types[], struct plan *plan, char *error,
                size_t error_size);
void plan_free(struct plan *plan);

#endif
