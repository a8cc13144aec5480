#include "transfer/fields.h"

#include "transfer/affinity.h"

#include <inttypes.h>

#define LENGTH_MOST (1ull << 60)
#define BLOCK_UNIT 4096

const char *const transfer_legs[] = {"read", "write", "transfer", NULL};
const char *const transfer_media[] = {"memory", "disk", NULL};
static const char *const caches[] = PATH_SOURCE_CACHE_WORDS;
static const char *const integrities[] = PATH_INTEGRITY_WORDS;

const struct field transfer_fields[] = {
    WORD(struct transfer_trial, leg, transfer_legs),
    OPTIONAL_WORD(struct transfer_trial, source, transfer_media),
    OPTIONAL_WORD(struct transfer_trial, sink, transfer_media),
    NUMBER(struct transfer_trial, length_bytes, 0, LENGTH_MOST),
    NUMBER(struct transfer_trial, duration_ms, 0, PATH_DURATION_MS_MOST),
    OPTIONAL_NUMBER(struct transfer_trial, ramp_ms, PATH_RAMP_MS_LEAST, PATH_RAMP_MS_MOST, 0),
    NUMBER(struct transfer_trial, block, PATH_BLOCK_LEAST, PATH_BLOCK_MOST),
    OPTIONAL_NUMBER(struct transfer_trial, disk_threads, 1, DISK_THREADS_MOST, 1),
    OPTIONAL_NUMBER(struct transfer_trial, ring_bytes, PATH_RING_BYTES_LEAST, PATH_RING_BYTES_MOST, 0),
    OPTIONAL_WORD(struct transfer_trial, source_cache, caches),
    OPTIONAL_WORD(struct transfer_trial, sink_cache, caches),
    {.name = "integrity",
     .offset = offsetof(struct transfer_trial, integrity),
     .type = FIELD_WORD,
     .words = integrities,
     .fallback = PATH_INTEGRITY_CRC32C},
    STRING(struct transfer_trial, cpus, false, CPUS_LENGTH),
    OPTIONAL_NUMBER(struct transfer_trial, small_files, PATH_SMALL_FILES_LEAST, PATH_SMALL_FILES_MOST, 0),
    OPTIONAL_NUMBER(struct transfer_trial, small_file_bytes, 0, PATH_SMALL_FILE_BYTES_MOST, 0),
    LINK_NUMBER(struct transfer_trial, streams, PATH_STREAMS_LEAST, PATH_STREAMS_MOST, 1),
    LINK_FIELDS(struct transfer_trial),
    {.name = NULL},
};

static bool check_length(struct parser *parser, const struct transfer_trial *trial)
{
    if (!plan_check_end(parser, trial->length_bytes, trial->duration_ms, trial->ramp_ms))
        return false;
    if (trial->block % BLOCK_UNIT != 0)
        return plan_refuse(parser, "block=%" PRIu64 " is not a multiple of %d; use one", trial->block, BLOCK_UNIT);
    return true;
}

static bool check_ends(struct parser *parser, const struct transfer_trial *trial)
{
    if (trial->leg == LEG_READ && trial->source != MEDIUM_DISK)
        return plan_refuse(parser, "source=%s: leg=read reads a disk; use source=disk", transfer_media[trial->source]);
    if (trial->leg == LEG_WRITE && trial->sink != MEDIUM_DISK)
        return plan_refuse(parser, "sink=%s: leg=write writes a disk; use sink=disk", transfer_media[trial->sink]);
    if (trial->leg != LEG_WRITE && trial->source == MEDIUM_DISK && trial->length_bytes == 0)
        return plan_refuse(parser, "length_bytes=%" PRIu64 ": the data of a source on disk exists before the trial; set it "
                                   "instead of duration_ms",
                           trial->length_bytes);
    return true;
}

static bool check_small_files(struct parser *parser, const struct transfer_trial *trial)
{
    if ((trial->small_files == 0) != (trial->small_file_bytes == 0))
        return plan_refuse(parser,
                           "small_files=%" PRIu64 " and small_file_bytes=%" PRIu64 ": one of them is 0; set both, or neither",
                           trial->small_files, trial->small_file_bytes);
    if (trial->small_files == 0)
        return true;
    if (trial->small_file_bytes > trial->block)
        return plan_refuse(parser,
                           "small_file_bytes=%" PRIu64 " is more than block=%" PRIu64
                           ", which carries whole small files; use larger blocks, or smaller files",
                           trial->small_file_bytes, trial->block);
    if (trial->length_bytes == 0)
        return plan_refuse(parser,
                           "small_files=%" PRIu64 ": their number ends the trial, and duration_ms=%" PRIu64
                           " cannot; set length_bytes instead",
                           trial->small_files, trial->duration_ms);
    if (trial->leg == LEG_TRANSFER && trial->source == MEDIUM_MEMORY && trial->sink == MEDIUM_MEMORY)
        return plan_refuse(parser, "small_files=%" PRIu64 ": memory has no files; use source=disk or sink=disk, or set it to 0",
                           trial->small_files);
    return true;
}

/* A pack has as many whole files as fit into a block, but not so many that a stop waits for it. */
#define PACK_FILES_MOST 1000

static void pack(struct transfer_trial *trial)
{
    if (trial->small_files == 0)
        return;
    const uint64_t fit = trial->block / trial->small_file_bytes;
    trial->pack_files = fit < PACK_FILES_MOST ? fit : PACK_FILES_MOST;
    trial->packs = (trial->small_files + trial->pack_files - 1) / trial->pack_files;
}

uint64_t unit_files(const struct transfer_trial *trial, uint64_t number)
{
    if (!unit_is_pack(trial, number))
        return 0;
    const uint64_t left = trial->small_files - (number - trial->all_blocks) * trial->pack_files;
    return left < trial->pack_files ? left : trial->pack_files;
}

uint64_t unit_bytes(const struct transfer_trial *trial, uint64_t number)
{
    return unit_is_pack(trial, number) ? unit_files(trial, number) * trial->small_file_bytes : trial->block;
}

/* Packs among the first `steps` of `blocks` and `packs` that are evenly mixed. */
static uint64_t packs_before(uint64_t steps, uint64_t blocks, uint64_t packs)
{
    return (uint64_t)((unsigned __int128)steps * packs / (blocks + packs));
}

uint64_t mixed_unit(uint64_t step, uint64_t blocks, uint64_t packs)
{
    if (packs == 0)
        return step;
    const uint64_t before = packs_before(step, blocks, packs);
    return packs_before(step + 1, blocks, packs) > before ? blocks + before : step - before;
}

bool transfer_complete(struct parser *parser, struct trial *common)
{
    struct transfer_trial *trial = (struct transfer_trial *)common;
    trial->link.senders = 1;
    if (!check_length(parser, trial) || !check_ends(parser, trial) || !check_small_files(parser, trial) ||
        !linkoptions_complete(parser, &trial->link))
        return false;
    const uint64_t blocks = (trial->length_bytes + trial->block - 1) / trial->block;
    pack(trial);
    common->total_bytes = blocks * trial->block + small_bytes(trial);
    trial->all_blocks = blocks ? blocks : UINT64_MAX;
    return true;
}

/* Which card an end uses is known once its streams are connected, or by its address. */
static bool check_cpus(struct parser *parser, const struct transfer_trial *trial)
{
    cpu_set_t found;
    char error[512];
    if (!trial->cpus)
        return true;
    if (!affinity_is_of_card(trial->cpus))
        return affinity_find(trial->cpus, "", &found, error, sizeof error) || plan_refuse(parser, "%s", error);
    return trial->leg == LEG_TRANSFER || trial->link.bind || !transfer_has_part(trial) ||
           plan_refuse(parser, "cpus=card: leg=%s uses no network, so only `bind` says which card; set it, or name CPUs or a node",
                       transfer_legs[trial->leg]);
}

bool transfer_check(struct parser *parser, const struct plan *plan, struct trial *common)
{
    struct transfer_trial *trial = (struct transfer_trial *)common;
    if (!linkoptions_check(parser, plan, &trial->link))
        return false;
    if (transfer_uses_disk(trial) && plan->target_count == 0)
        return plan_refuse(parser, "%s=disk: this end has no target; add one, or use memory",
                           transfer_sends(trial) ? "source" : "sink");
    if (!transfer_has_part(trial))
        common->total_bytes = 0;
    return check_cpus(parser, trial);
}
