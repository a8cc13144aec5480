/* A trial of the job `records`: senders stream records to one receiver, which counts each of them. */
#ifndef ASSAY_RECORDS_FIELDS_H
#define ASSAY_RECORDS_FIELDS_H

#include "transfer/linkoptions.h"

enum sink_kind { SINK_MEMORY, SINK_DISK };

extern const char *const record_sinks[];
extern const char *const record_formats[];

struct records_trial {
    struct trial common;
    struct link_options link;
    uint64_t record_bytes;
    uint64_t records; /* of each sender; 0 if `window_ms` ends the trial */
    uint64_t ramp_ms, window_ms;
    uint64_t sink, format;
    uint64_t batch_records, batch_ms;
    uint64_t acknowledge, in_flight_batches;
    uint64_t sync_ms, sync_bytes;
    uint64_t rate_records_per_s; /* of each sender */
    uint64_t recount_ms;
};

extern const struct field records_fields[];

bool records_complete(struct parser *parser, struct trial *trial);

/* Checks the plan's role, token and targets, and sets `total_bytes` of this end. */
bool records_check(struct parser *parser, const struct plan *plan, struct trial *trial);

#define RECORDS_TYPE \
    {.job = "records", .targets = 1, .optional_targets = true, .size = sizeof(struct records_trial), .fields = records_fields, \
     .complete = records_complete, .check = records_check}

static inline const struct records_trial *records_trial(const struct trial *trial)
{
    return (const struct records_trial *)trial;
}

static inline bool records_sends(const struct records_trial *trial)
{
    return trial->link.role == ROLE_SENDER;
}

/* Whether this end writes a file. */
static inline bool records_writes(const struct records_trial *trial)
{
    return !records_sends(trial) && trial->sink == SINK_DISK;
}

#endif
