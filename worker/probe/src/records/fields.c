#include "records/fields.h"

#include <inttypes.h>

#define COUNT_MOST (1ull << 40)
#define BYTES_MOST (1ull << 60)
#define DURATION_MOST (366ull * 24 * 3600 * 1000)

const char *const record_sinks[] = {"memory", "disk", NULL};
const char *const record_formats[] = RECORDS_FORMAT_WORDS;
static const char *const acknowledgements[] = RECORDS_ACKNOWLEDGE_WORDS;

const struct field records_fields[] = {
    LINK_REQUIRED(struct records_trial, senders, 1, LINK_SENDERS_MOST),
    LINK_NUMBER(struct records_trial, sender, 0, LINK_SENDERS_MOST - 1, 0),
    NUMBER(struct records_trial, record_bytes, RECORDS_RECORD_BYTES_LEAST, RECORDS_RECORD_BYTES_MOST),
    OPTIONAL_NUMBER(struct records_trial, records, 0, COUNT_MOST, 0),
    OPTIONAL_NUMBER(struct records_trial, ramp_ms, RECORDS_RAMP_MS_LEAST, RECORDS_RAMP_MS_MOST, 0),
    OPTIONAL_NUMBER(struct records_trial, window_ms, 0, RECORDS_WINDOW_MS_MOST, 0),
    OPTIONAL_WORD(struct records_trial, sink, record_sinks),
    OPTIONAL_WORD(struct records_trial, format, record_formats),
    OPTIONAL_NUMBER(struct records_trial, batch_records, RECORDS_BATCH_RECORDS_LEAST, RECORDS_BATCH_RECORDS_MOST, 10000),
    OPTIONAL_NUMBER(struct records_trial, batch_ms, RECORDS_BATCH_MS_LEAST, RECORDS_BATCH_MS_MOST, 10000),
    {.name = "acknowledge",
     .offset = offsetof(struct records_trial, acknowledge),
     .type = FIELD_WORD,
     .words = acknowledgements,
     .fallback = RECORDS_ACKNOWLEDGE_WRITTEN},
    OPTIONAL_NUMBER(struct records_trial, in_flight_batches, RECORDS_IN_FLIGHT_BATCHES_LEAST, RECORDS_IN_FLIGHT_BATCHES_MOST, 16),
    OPTIONAL_NUMBER(struct records_trial, sync_ms, RECORDS_SYNC_MS_LEAST, RECORDS_SYNC_MS_MOST, 0),
    OPTIONAL_NUMBER(struct records_trial, sync_bytes, RECORDS_SYNC_BYTES_LEAST, RECORDS_SYNC_BYTES_MOST, 0),
    OPTIONAL_NUMBER(struct records_trial, rate_records_per_s, RECORDS_RATE_RECORDS_PER_S_LEAST, RECORDS_RATE_RECORDS_PER_S_MOST, 0),
    OPTIONAL_NUMBER(struct records_trial, recount_ms, 0, DURATION_MOST, 600000),
    LINK_FIELDS(struct records_trial),
    {.name = NULL},
};

static bool check_length(struct parser *parser, const struct records_trial *trial)
{
    if ((trial->records == 0) == (trial->window_ms == 0))
        return plan_refuse(parser,
                           "records=%" PRIu64 " and window_ms=%" PRIu64 ": one of them ends the trial; set the other to 0",
                           trial->records, trial->window_ms);
    if (trial->ramp_ms && trial->records)
        return plan_refuse(parser, "ramp_ms=%" PRIu64 ": a warm-up needs window_ms; set it instead of records, or omit ramp_ms",
                           trial->ramp_ms);
    if (trial->records > BYTES_MOST / trial->record_bytes / trial->link.senders)
        return plan_refuse(parser, "records=%" PRIu64 ": %" PRIu64 " senders would send more than 2^60 bytes; use fewer",
                           trial->records, trial->link.senders);
    return true;
}

static bool check_syncs(struct parser *parser, const struct records_trial *trial)
{
    const bool synced = trial->acknowledge == RECORDS_ACKNOWLEDGE_SYNCED, periodic = trial->sync_ms || trial->sync_bytes;
    const char *name = synced ? "acknowledge=synced" : trial->sync_ms ? "sync_ms" : "sync_bytes";
    if ((synced || periodic) && trial->sink != SINK_DISK)
        return plan_refuse(parser, "%s: sink=memory has nothing to sync; use sink=disk, or omit it", name);
    if (synced && periodic)
        return plan_refuse(parser, "acknowledge=synced: each batch is synced; omit sync_ms and sync_bytes, or acknowledge=written");
    if (trial->sync_ms && trial->sync_bytes)
        return plan_refuse(parser, "sync_ms=%" PRIu64 " and sync_bytes=%" PRIu64 ": set one of them", trial->sync_ms,
                           trial->sync_bytes);
    return true;
}

bool records_complete(struct parser *parser, struct trial *common)
{
    struct records_trial *trial = (struct records_trial *)common;
    trial->link.streams = 1;
    return check_length(parser, trial) && check_syncs(parser, trial) && linkoptions_complete(parser, &trial->link);
}

bool records_check(struct parser *parser, const struct plan *plan, struct trial *common)
{
    struct records_trial *trial = (struct records_trial *)common;
    if (!linkoptions_check(parser, plan, &trial->link))
        return false;
    if (!records_sends(trial) && trial->link.sender > 0)
        return plan_refuse(parser, "sender=%" PRIu64 ": this end is the receiver; omit it", trial->link.sender);
    if (records_writes(trial) && plan->target_count == 0)
        return plan_refuse(parser, "sink=disk: this end has no target; add one, or use sink=memory");
    common->total_bytes = trial->records * trial->record_bytes * (records_sends(trial) ? 1 : trial->link.senders);
    return true;
}
