#include "transfer/report.h"

#include "transfer/linkreport.h"

#include "clock.h"

#include <inttypes.h>
#include <stdio.h>

static void stages_field(struct text *line, const struct transfer *transfer)
{
    uint64_t at = 0;
    json_open(line, "stages", '[');
    for (uint64_t stage = 0; stage < transfer->stage_count; stage++) {
        struct stage_sums sums = {.threads = transfer->stage_threads[stage]};
        for (uint64_t i = 0; i < transfer->stage_threads[stage]; i++, at++) {
            sums.bytes += atomic_load(&transfer->workers[at].bytes);
            sums.call_ns += atomic_load(&transfer->workers[at].call_ns);
            sums.full_ns += atomic_load(&transfer->workers[at].full_ns);
            sums.empty_ns += atomic_load(&transfer->workers[at].empty_ns);
        }
        linkreport_stage(line, stage_names[transfer->stages[stage]], &sums);
    }
    json_close(line, ']');
}

void report_link(struct attempt *attempt, uint64_t end_ns)
{
    const struct transfer *transfer = attempt->own;
    struct text *line = attempt_event(attempt, "link");
    json_uint(line, "end_ns", end_ns - attempt->pool.started_ns);
    linkreport_streams(line, &transfer->link);
    stages_field(line, transfer);
    json_known(line, "ring_filled", transfer->ring.count ? (int64_t)atomic_load(&transfer->ring.seen_filled) : -1);
    linkreport_counters(line, &transfer->link);
    event_end(attempt->workspace->spool);
}

static void digest_field(struct text *line, const char *name, bool known, uint64_t digest)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    json_string(line, name, known ? text : NULL);
}

/* What the threads counted for themselves. */
static void sums_fields(struct text *line, const struct transfer *transfer)
{
    const bool checked = transfer->trial->integrity == PATH_INTEGRITY_CRC32C;
    uint64_t ramp_bytes = 0, ramp_ns = 0, blocks = 0, crc_errors = 0, digest = 0, peer_digest = 0;
    bool known = checked && transfer->count > 0, met = known;
    for (uint64_t i = 0; i < transfer->count; i++) {
        const struct worker *worker = &transfer->workers[i];
        const bool streams = worker->kind == STAGE_SEND || worker->kind == STAGE_RECEIVE;
        if (worker->counts) {
            ramp_bytes += worker->ramp_bytes;
            ramp_ns = worker->ramp_ns > ramp_ns ? worker->ramp_ns : ramp_ns;
            blocks += worker->blocks;
        }
        crc_errors += worker->crc_errors;
        if (streams || worker->counts) {
            known = known && worker->finished;
            met = met && (worker->met || !streams);
        }
        if (streams || (transfer->trial->leg == LEG_READ && worker->counts)) {
            digest += worker->digest;
            peer_digest += worker->peer_digest;
        }
    }
    const bool sent = transfer->trial->leg == LEG_TRANSFER;
    json_uint(line, "ramp_bytes", ramp_bytes);
    json_uint(line, "ramp_ns", ramp_ns);
    json_uint(line, "cpu_ns", atomic_load(&transfer->cpu_ns));
    json_uint(line, "blocks", blocks);
    json_uint(line, "crc_errors", crc_errors);
    digest_field(line, "digest", (known || met) && transfer->trial->leg != LEG_WRITE, digest);
    digest_field(line, "peer_digest", met && sent, peer_digest);
}

static struct thread_cpus cpus_of(const struct transfer *transfer)
{
    struct thread_cpus all = {.known = false};
    for (uint64_t i = 0; i < transfer->count; i++) {
        CPU_OR(&all.allowed, &all.allowed, &transfer->workers[i].allowed);
        CPU_OR(&all.used, &all.used, &transfer->workers[i].used);
    }
    all.known = CPU_COUNT(&all.allowed) > 0;
    return all;
}

void report_path(struct attempt *attempt, struct text *line)
{
    const struct transfer *transfer = attempt->own;
    const struct transfer_trial *trial = transfer->trial;
    json_string(line, "role", transfer_roles[trial->link.role]);
    json_string(line, "leg", transfer_legs[trial->leg]);
    json_string(line, "source", transfer_media[trial->source]);
    json_string(line, "sink", transfer_media[trial->sink]);
    linkreport_fields(line, &transfer->link);
    stages_field(line, transfer);
    json_uint(line, "ring_buffers", transfer->ring.count);
    json_uint(line, "ring_bytes", transfer->ring.bytes + transfer->memory_bytes);
    sums_fields(line, transfer);
    linkreport_connections(line, &transfer->link);
    const struct thread_cpus cpus = cpus_of(transfer);
    placement_field(line, &transfer->placement, trial->cpus, &cpus,
                    transfer_uses_disk(trial) ? attempt->workspace->target.device : "");
    small_files_field(line, &transfer->small_files);
}
