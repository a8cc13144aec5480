/* A trial of the job `tool`: another program moves an input from the source's directory to the
 * sink's, and both probes only prepare, observe and check. */
#ifndef ASSAY_OBSERVE_FIELDS_H
#define ASSAY_OBSERVE_FIELDS_H

#include "parameters.h"
#include "plan.h"

enum input { INPUT_FILES, INPUT_RECORDS, INPUT_MEMORY };
enum observe_role { OBSERVE_SINK, OBSERVE_SOURCE };

#define RECORDS_MOST 1000000000ull

struct observe_trial {
    struct trial common;
    uint64_t input;
    uint64_t files, file_bytes;
    uint64_t records, record_bytes;
    uint64_t port;     /* the first of two that the tool may use at the sink; 0: free ones */
    uint64_t quiet_ms; /* after the source's command nothing may arrive for so long until the transfer is over */
    uint64_t input_bytes; /* set by `complete`; `total_bytes` is 0, because the probes move none of them */
    uint64_t role;     /* of this end; from the plan */
};

extern const struct field observe_fields[];

bool observe_complete(struct parser *parser, struct trial *trial);
bool observe_check(struct parser *parser, const struct plan *plan, struct trial *trial);

#define OBSERVE_TYPE \
    {.job = "tool", .targets = 1, .optional_targets = true, .size = sizeof(struct observe_trial), .fields = observe_fields, \
     .complete = observe_complete, .check = observe_check}

static inline const struct observe_trial *observe_trial(const struct trial *trial)
{
    return (const struct observe_trial *)trial;
}

static inline bool observe_sends(const struct observe_trial *trial)
{
    return trial->role == OBSERVE_SOURCE;
}

/* Whether the input is on a disk, and not made up by the tool. */
static inline bool observe_has_input(const struct observe_trial *trial)
{
    return trial->input != INPUT_MEMORY;
}

#endif
