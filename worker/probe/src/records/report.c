#include "records/report.h"

#include "clock.h"
#include "transfer/linkreport.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void stages_field(struct text *line, const struct exchange *exchange)
{
    const bool sends = records_sends(exchange->trial);
    const enum lane_stage first = sends ? LANE_FILL : LANE_RECEIVE, last = sends ? LANE_SEND : LANE_WRITE;
    json_open(line, "stages", '[');
    for (enum lane_stage stage = first; stage <= last; stage++) {
        struct stage_sums sums = {.threads = exchange->count};
        for (uint64_t i = 0; i < exchange->count; i++) {
            const struct lane *lane = &exchange->lanes[i];
            sums.bytes += stage == LANE_WRITE ? atomic_load(&lane->outlet.stored_bytes) : atomic_load(&lane->bytes);
            sums.call_ns += atomic_load(&lane->call_ns[stage]);
            sums.full_ns += stage == LANE_SEND ? atomic_load(&lane->blocked_ns) : 0;
        }
        linkreport_stage(line, lane_stage_names[stage], &sums);
    }
    json_close(line, ']');
}

void records_report_link(struct attempt *attempt, uint64_t end_ns)
{
    const struct exchange *exchange = attempt->own;
    struct text *line = attempt_event(attempt, "link");
    json_uint(line, "end_ns", end_ns - attempt->pool.started_ns);
    linkreport_streams(line, &exchange->link);
    stages_field(line, exchange);
    json_null(line, "ring_filled");
    linkreport_counters(line, &exchange->link);
    event_end(attempt->workspace->spool);
}

static void digest_field(struct text *line, const char *name, bool known, uint32_t crc)
{
    char text[9];
    snprintf(text, sizeof text, "%08" PRIx32, crc);
    json_string(line, name, known ? text : NULL);
}

/* What a receiver did not find of the records that were sent. */
static uint64_t missing_of(const struct lane *lane)
{
    const uint64_t beyond = lane->met && lane->peer_records > lane->ledger.end ? lane->peer_records - lane->ledger.end : 0;
    return lane->ledger.missing + beyond;
}

static void sender_field(struct text *line, const struct exchange *exchange, const struct lane *lane)
{
    const bool sends = records_sends(exchange->trial), acknowledges = exchange->trial->acknowledge != RECORDS_ACKNOWLEDGE_NONE;
    const char *address = sends ? exchange->link.local : exchange->link.remote[lane->sender];
    const struct ledger *ledger = &lane->ledger;
    json_open(line, NULL, '{');
    json_uint(line, "sender", lane->sender);
    json_string(line, "address", address[0] ? address : NULL);
    json_known(line, "sent", sends ? (int64_t)lane->records : lane->met ? (int64_t)lane->peer_records : -1);
    json_known(line, "acknowledged", acknowledges || lane->met ? (int64_t)lane->acknowledged : -1);
    json_known(line, "intact", sends ? -1 : (int64_t)ledger->intact);
    json_known(line, "wrong", sends ? -1 : (int64_t)ledger->wrong);
    json_known(line, "duplicates", sends ? -1 : (int64_t)ledger->duplicates);
    json_known(line, "missing", sends ? -1 : (int64_t)missing_of(lane));
    json_known(line, "late", sends ? -1 : (int64_t)ledger->late);
    json_known(line, "window_records", (int64_t)lane->window_records);
    digest_field(line, "digest", true, ~lane->crc);
    digest_field(line, "peer_digest", lane->met, lane->peer_crc);
    json_close(line, '}');
}

static void senders_field(struct text *line, const struct exchange *exchange)
{
    json_open(line, "senders", '[');
    for (uint64_t i = 0; i < exchange->count; i++)
        sender_field(line, exchange, &exchange->lanes[i]);
    json_close(line, ']');
}

/* The window's length: up to its end, also if no record came any more, or the end of the work if that
 * was earlier. Without an end of its own it ends with the last record. */
static uint64_t window_ns(const struct attempt *attempt, const struct exchange *exchange)
{
    const struct records_trial *trial = exchange->trial;
    const uint64_t begins = attempt->pool.started_ns + trial->ramp_ms * NS_PER_MS;
    uint64_t ends = trial->window_ms ? 0 : threadpool_last_end(&attempt->pool);
    for (uint64_t i = 0; trial->window_ms && i < exchange->count; i++)
        ends = exchange->lanes[i].ended_ns > ends ? exchange->lanes[i].ended_ns : ends;
    ends = ends < exchange->until_ns ? ends : exchange->until_ns;
    return ends > begins ? ends - begins : 0;
}

static void sums_fields(struct text *line, const struct attempt *attempt, const struct exchange *exchange)
{
    uint64_t ramp = 0, window = 0, records = 0, stored = 0, batches = 0;
    for (uint64_t i = 0; i < exchange->count; i++) {
        const struct lane *lane = &exchange->lanes[i];
        ramp += lane->ramp_records;
        window += lane->window_records;
        records += atomic_load(&lane->bytes) / exchange->trial->record_bytes;
        stored += atomic_load(&lane->outlet.stored_bytes);
        batches += lane->batches;
    }
    json_uint(line, "record_bytes", exchange->trial->record_bytes);
    json_uint(line, "ramp_records", ramp);
    json_uint(line, "window_records", window);
    json_uint(line, "tail_records", records - ramp - window);
    json_uint(line, "window_ns", window_ns(attempt, exchange));
    json_uint(line, "payload_bytes", records * exchange->trial->record_bytes);
    json_uint(line, "stored_bytes", stored);
    json_uint(line, "batches", batches);
}

static void syncs_field(struct text *line, const struct sink *sink)
{
    json_open(line, "syncs", '{');
    json_uint(line, "count", sink->done);
    json_uint(line, "ns", sink->ns);
    json_uint(line, "max_ns", sink->max_ns);
    histogram_field(line, "hist", sink->histogram);
    json_close(line, '}');
}

/* A histogram of all lanes, and its maximum; null if it is unknown. */
static void latency_fields(struct text *line, const char *const names[2], bool known, const uint64_t sum[HISTOGRAM_STEPS],
                           uint64_t most)
{
    if (known)
        histogram_field(line, names[0], sum);
    else
        json_null(line, names[0]);
    json_known(line, names[1], known ? (int64_t)most : -1);
}

/* Of a sender: it has one lane. */
static void latencies_fields(struct text *line, const struct exchange *exchange)
{
    static const char *const ack_names[] = {"ack_hist", "ack_max_ns"}, *const due_names[] = {"due_hist", "due_max_ns"};
    const struct lane *lane = &exchange->lanes[0];
    const bool sends = records_sends(exchange->trial), due = sends && exchange->trial->rate_records_per_s > 0;
    const bool acknowledged = sends && exchange->trial->acknowledge != RECORDS_ACKNOWLEDGE_NONE;
    latency_fields(line, ack_names, acknowledged, lane->ack_histogram, lane->ack_max);
    latency_fields(line, due_names, due, lane->due_histogram, lane->due_max);
    json_known(line, "due_unfinished", due ? (int64_t)lane->due_unfinished : -1);
}

void records_report(struct attempt *attempt, struct text *line)
{
    const struct exchange *exchange = attempt->own;
    const struct records_trial *trial = exchange->trial;
    json_string(line, "role", transfer_roles[trial->link.role]);
    json_string(line, "sink", record_sinks[trial->sink]);
    json_string(line, "format", record_formats[trial->format]);
    linkreport_fields(line, &exchange->link);
    stages_field(line, exchange);
    sums_fields(line, attempt, exchange);
    syncs_field(line, &exchange->sink);
    json_uint(line, "cpu_ns", atomic_load(&exchange->cpu_ns));
    senders_field(line, exchange);
    latencies_fields(line, exchange);
    linkreport_connections(line, &exchange->link);
}
