/* A sustained trial: streams write or read for a long time or a long way, at full speed or paced. */
#ifndef ASSAY_SUSTAINED_FIELDS_H
#define ASSAY_SUSTAINED_FIELDS_H

#include "pace.h"
#include "parameters.h"
#include "plan.h"
#include "priority.h"

/* Who reads the files of a write back after its final sync. */
enum read_back { READ_BACK_NONE, READ_BACK_WRITER, READ_BACK_OTHER_HOST };

/* Bytes of a trial, and of a file. */
#define LENGTH_MOST (1ull << 60)
/* Of all streams together: each file of a sequence is recorded by name. */
#define SEQUENCE_FILES_MOST 1000000
/* Rates of the plan for which a backlog is kept. */
#define PLAN_RATES_MOST 64

struct sustained_trial {
    struct trial common;
    uint64_t operation;
    uint64_t length_bytes; /* of all streams; 0 if `duration_ms` ends the trial */
    uint64_t duration_ms;
    uint64_t ramp_ms;
    uint64_t block;
    uint64_t streams;
    uint64_t layout;
    uint64_t file_bytes;
    uint64_t files; /* of each stream's ring */
    uint64_t access;
    uint64_t read_percent; /* of a mixed trial */
    uint64_t seed;
    uint64_t engine;
    uint64_t queue_depth; /* of each stream */
    uint64_t cache;
    uint64_t pace;
    uint64_t rate_bytes_per_s; /* of all streams */
    uint64_t burst_blocks, gap_ns, quantum_ns;
    uint64_t mark_bytes;
    uint64_t sync_bytes, sync_ms; /* of the periodic sync of each stream; at most one is not 0 */
    uint64_t fill_percent; /* of the target's file system, before the trial */
    uint64_t precondition_passes;
    uint64_t idle_ms;
    uint64_t read_back; /* an enum read_back */
    uint64_t prepare_timeout_ms; /* of the fill, the preconditioning and the files of a read */
    struct priority priority; /* of the streams' threads */
    char *rates; /* as in the plan */
    double backlog_rates[PLAN_RATES_MOST]; /* bytes per second */
    uint64_t backlog_rate_count;
};

extern const struct field sustained_fields[];

/* The words of a plan's `layout` and `cache`, in the order of their enums. */
extern const char *const sustained_layouts[], *const sustained_caches[];

/* Checks the fields against each other, and computes the blocks' sum and the rates. */
bool sustained_complete(struct parser *parser, struct trial *trial);

/* Leaves at least a mark to write, or a second: an attempt that was interrupted during its final
 * sync has nothing else left that the sync could follow. */
void sustained_resume(struct trial *trial);

#define SUSTAINED_TYPE \
    {.job = "sustained", .targets = 1, .size = sizeof(struct sustained_trial), .fields = sustained_fields, \
     .complete = sustained_complete, .resume = sustained_resume}

static inline const struct sustained_trial *sustained_trial(const struct trial *trial)
{
    return (const struct sustained_trial *)trial;
}

static inline bool sustained_reads(const struct sustained_trial *trial)
{
    return trial->operation == SUSTAINED_OPERATION_READ;
}

static inline bool sustained_mixed(const struct sustained_trial *trial)
{
    return trial->operation == SUSTAINED_OPERATION_MIXED;
}

static inline bool sustained_random(const struct sustained_trial *trial)
{
    return trial->access == SUSTAINED_ACCESS_RANDOM;
}

static inline bool sustained_syncs(const struct sustained_trial *trial)
{
    return trial->sync_bytes || trial->sync_ms;
}

/* Blocks of one of the trial's streams; the first ones have one more if they do not divide. */
uint64_t sustained_blocks(const struct sustained_trial *trial, uint64_t stream);

#endif
