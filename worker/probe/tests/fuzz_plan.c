/* Fuzz target of the plan parser: no input may crash it, and a plan that it accepts keeps
 * the limits that the rest of the probe relies on.
 *
 * libFuzzer brings main: `build/fuzz/plan -help=1` lists its options. */
#include "matrix/fields.h"
#include "records/fields.h"
#include "sustained/fields.h"
#include "transfer/fields.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool matrix_holds(const struct trial *common)
{
    const struct matrix_trial *trial = matrix_trial(common);
    return trial->block >= 512 && trial->files <= trial->threads && trial->threads <= 256 && trial->file_size > 0 &&
           trial->file_size % trial->block == 0 && trial->file_size <= (1ull << 62) / trial->files + trial->block;
}

static bool sustained_holds(const struct trial *common)
{
    const struct sustained_trial *trial = sustained_trial(common);
    uint64_t blocks = 0;
    for (uint64_t i = 0; i < trial->streams; i++)
        blocks += sustained_blocks(trial, i);
    return trial->block >= 512 && trial->streams > 0 && trial->streams <= SUSTAINED_STREAMS_MOST &&
           (trial->length_bytes == 0) != (trial->duration_ms == 0) &&
           (trial->length_bytes == 0 || (blocks * trial->block == common->total_bytes && sustained_blocks(trial, trial->streams - 1) > 0)) &&
           trial->mark_bytes % trial->block == 0 && (trial->pace == PACE_RATE) == (trial->rate_bytes_per_s > 0) &&
           (trial->pace == PACE_BURST) == (trial->burst_blocks > 0) &&
           (trial->layout == SUSTAINED_LAYOUT_ONE && !sustained_random(trial)) == (trial->file_bytes == 0) &&
           (!sustained_random(trial) || (trial->layout == SUSTAINED_LAYOUT_ONE && trial->streams * trial->file_bytes <= 1ull << 60)) &&
           (!sustained_mixed(trial) || sustained_random(trial)) && trial->read_percent <= 100 &&
           trial->queue_depth >= 1 && trial->queue_depth <= (trial->engine == SUSTAINED_ENGINE_IO_URING ? SUSTAINED_QUEUE_DEPTH_MOST : 1) &&
           (trial->file_bytes == 0 || trial->file_bytes / trial->block >= trial->queue_depth) && trial->backlog_rate_count <= PLAN_RATES_MOST;
}

static bool transfer_holds(const struct trial *common)
{
    const struct transfer_trial *trial = transfer_trial(common);
    const uint64_t bytes = trial->length_bytes ? trial->all_blocks * trial->block + small_bytes(trial) : 0;
    return (trial->packs == 0 || (unit_files(trial, all_units(trial) - 1) > 0 && unit_bytes(trial, trial->all_blocks) <= trial->block)) &&
           trial->block >= 4096 && trial->block % 4096 == 0 && trial->link.streams > 0 && trial->link.streams <= PATH_STREAMS_MOST &&
           trial->disk_threads > 0 && trial->disk_threads <= DISK_THREADS_MOST &&
           (trial->length_bytes == 0) != (trial->duration_ms == 0) && (trial->all_blocks == UINT64_MAX) == (bytes == 0) &&
           common->total_bytes == (transfer_has_part(trial) ? bytes : 0) && trial->link.port_first <= trial->link.port_last;
}

static bool records_hold(const struct trial *common)
{
    const struct records_trial *trial = records_trial(common);
    const uint64_t senders = trial->link.senders;
    return trial->record_bytes >= 1 && trial->record_bytes <= RECORDS_RECORD_BYTES_MOST && senders >= 1 && senders <= LINK_SENDERS_MOST &&
           trial->link.streams == 1 && trial->link.sender < senders && (trial->records == 0) != (trial->window_ms == 0) &&
           common->total_bytes <= 1ull << 60 && trial->batch_records > 0 && trial->in_flight_batches <= 1024 &&
           (senders == 1 || trial->link.listener == ROLE_RECEIVER) && trial->link.port_first <= trial->link.port_last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct trial_type matrix = MATRIX_TYPE, records = RECORDS_TYPE, sustained = SUSTAINED_TYPE,
                                   transfer = TRANSFER_TYPE;
    static const struct trial_type *const types[] = {&matrix, &records, &sustained, &transfer, NULL};
    static bool (*const hold[])(const struct trial *common) = {matrix_holds, records_hold, sustained_holds, transfer_holds};
    struct plan plan;
    char error[512] = "";
    bool good = plan_parse((const char *)data, size, types, &plan, error, sizeof error);
    if (!good && (error[0] == '\0' || strchr(error, '\n')))
        abort(); /* refused without a line that says why */
    const bool linked = good && plan.type->optional_targets;
    if (good && (plan.count == 0 || !plan.run || (!linked && plan.target_count != 1) ||
                 (plan.target_count && plan.targets[0].path[0] != '/') || (linked && strlen(plan.token) != 64)))
        abort();
    for (size_t i = 0; good && i < plan.count; i++)
        for (size_t type = 0; types[type]; type++)
            if (plan.type == types[type] && !hold[type](plan_trial(&plan, i)))
                abort();
    plan_free(&plan);
    return 0;
}
