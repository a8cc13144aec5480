#include "sustained/fields.h"

#include "clock.h"

#include <inttypes.h>
#include <stdlib.h>

#define DURATION_MOST (366ull * 24 * 3600 * 1000)
#define SEED_MOST INT64_MAX
#define ABSENT UINT64_MAX

static const char *const operations[] = SUSTAINED_OPERATION_WORDS;
static const char *const accesses[] = SUSTAINED_ACCESS_WORDS;
static const char *const engines[] = SUSTAINED_ENGINE_WORDS;
const char *const sustained_layouts[] = SUSTAINED_LAYOUT_WORDS;
const char *const sustained_caches[] = SUSTAINED_CACHE_WORDS;
static const char *const paces[] = SUSTAINED_PACE_WORDS;
static const char *const priorities[] = SUSTAINED_PRIORITY_WORDS;
static const char *const io_priorities[] = SUSTAINED_IO_PRIORITY_WORDS;

_Static_assert((int)PACE_RATE == SUSTAINED_PACE_RATE && (int)PACE_BURST == SUSTAINED_PACE_BURST, "as in a plan");

const struct field sustained_fields[] = {
    WORD(struct sustained_trial, operation, operations),
    NUMBER(struct sustained_trial, length_bytes, 0, LENGTH_MOST),
    NUMBER(struct sustained_trial, duration_ms, 0, DURATION_MOST),
    OPTIONAL_NUMBER(struct sustained_trial, ramp_ms, SUSTAINED_RAMP_MS_LEAST, SUSTAINED_RAMP_MS_MOST, 0),
    NUMBER(struct sustained_trial, block, SUSTAINED_BLOCK_LEAST, SUSTAINED_BLOCK_MOST),
    NUMBER(struct sustained_trial, streams, SUSTAINED_STREAMS_LEAST, SUSTAINED_STREAMS_MOST),
    WORD(struct sustained_trial, layout, sustained_layouts),
    OPTIONAL_NUMBER(struct sustained_trial, file_bytes, 0, LENGTH_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, files, 0, SUSTAINED_FILES_MOST, 0),
    OPTIONAL_WORD(struct sustained_trial, access, accesses),
    OPTIONAL_NUMBER(struct sustained_trial, read_percent, 0, 100, ABSENT),
    OPTIONAL_NUMBER(struct sustained_trial, seed, 0, SEED_MOST, 0),
    OPTIONAL_WORD(struct sustained_trial, engine, engines),
    OPTIONAL_NUMBER(struct sustained_trial, queue_depth, SUSTAINED_QUEUE_DEPTH_LEAST, SUSTAINED_QUEUE_DEPTH_MOST, 1),
    WORD(struct sustained_trial, cache, sustained_caches),
    WORD(struct sustained_trial, pace, paces),
    OPTIONAL_NUMBER(struct sustained_trial, rate_bytes_per_s, 0, SUSTAINED_RATE_BYTES_PER_S_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, burst_blocks, 0, SUSTAINED_BURST_BLOCKS_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, gap_ns, SUSTAINED_GAP_NS_LEAST, SUSTAINED_GAP_NS_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, quantum_ns, SUSTAINED_QUANTUM_NS_LEAST, SUSTAINED_QUANTUM_NS_MOST, 0),
    NUMBER(struct sustained_trial, mark_bytes, SUSTAINED_MARK_BYTES_LEAST, SUSTAINED_MARK_BYTES_MOST),
    OPTIONAL_NUMBER(struct sustained_trial, sync_bytes, SUSTAINED_SYNC_BYTES_LEAST, SUSTAINED_SYNC_BYTES_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, sync_ms, SUSTAINED_SYNC_MS_LEAST, SUSTAINED_SYNC_MS_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, fill_percent, SUSTAINED_FILL_PERCENT_LEAST, SUSTAINED_FILL_PERCENT_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, precondition_passes, SUSTAINED_PRECONDITION_PASSES_LEAST, SUSTAINED_PRECONDITION_PASSES_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, idle_ms, SUSTAINED_IDLE_MS_LEAST, SUSTAINED_IDLE_MS_MOST, 0),
    OPTIONAL_NUMBER(struct sustained_trial, prepare_timeout_ms, 1, SUSTAINED_PREPARE_TIMEOUT_MS_MOST, 24 * 3600 * 1000),
    {.name = "priority", .offset = offsetof(struct sustained_trial, priority.cpu), .type = FIELD_WORD, .words = priorities},
    {.name = "io_priority", .offset = offsetof(struct sustained_trial, priority.io), .type = FIELD_WORD, .words = io_priorities},
    OPTIONAL_NUMBER(struct sustained_trial, read_back, 0, READ_BACK_OTHER_HOST, 0),
    STRING(struct sustained_trial, rates, false, 1024),
    {.name = NULL},
};

static bool check_length(struct parser *parser, const struct sustained_trial *trial)
{
    if (!plan_check_end(parser, trial->length_bytes, trial->duration_ms, trial->ramp_ms))
        return false;
    if (trial->length_bytes && trial->length_bytes < trial->streams * trial->block)
        return plan_refuse(parser, "length_bytes=%" PRIu64 " is less than one block for each of %" PRIu64 " streams; make it larger",
                           trial->length_bytes, trial->streams);
    return true;
}

static bool check_read(struct parser *parser, const struct sustained_trial *trial)
{
    if (!sustained_reads(trial))
        return true;
    if (trial->duration_ms && trial->layout != SUSTAINED_LAYOUT_RING && !sustained_random(trial))
        return plan_refuse(parser, "duration_ms=%" PRIu64 ": the data of a read exists before it; use layout=ring or access=random, "
                                   "which read it again and again, or length_bytes",
                           trial->duration_ms);
    if (sustained_syncs(trial))
        return plan_refuse(parser, "sync_bytes=%" PRIu64 " and sync_ms=%" PRIu64 ": a read has nothing to sync; omit them",
                           trial->sync_bytes, trial->sync_ms);
    return true;
}

static bool check_sync(struct parser *parser, const struct sustained_trial *trial)
{
    return !trial->sync_bytes || !trial->sync_ms ||
           plan_refuse(parser, "sync_ms=%" PRIu64 " and sync_bytes=%" PRIu64 ": one of them sets the periodic sync; set the "
                               "other to 0",
                       trial->sync_ms, trial->sync_bytes);
}

static bool check_files(struct parser *parser, const struct sustained_trial *trial)
{
    const bool single = trial->layout == SUSTAINED_LAYOUT_ONE, ring = trial->layout == SUSTAINED_LAYOUT_RING;
    const bool sized = !single || sustained_random(trial);
    if (!sized && trial->file_bytes)
        return plan_refuse(parser, "file_bytes=%" PRIu64 ": layout=one has one file per stream; omit it", trial->file_bytes);
    if (sized && (trial->file_bytes == 0 || trial->file_bytes % trial->block != 0))
        return plan_refuse(parser, "file_bytes=%" PRIu64 " is not a multiple of block=%" PRIu64 "; use whole blocks",
                           trial->file_bytes, trial->block);
    if (ring ? trial->files < 2 || trial->files * trial->streams > SUSTAINED_FILES_MOST : trial->files != 0)
        return plan_refuse(parser, "files=%" PRIu64 ": a ring has 2 or more files, and all rings together at most %d; other "
                                   "layouts have no such field",
                           trial->files, SUSTAINED_FILES_MOST);
    if (trial->layout == SUSTAINED_LAYOUT_SEQUENCE && trial->length_bytes / trial->file_bytes >= SEQUENCE_FILES_MOST)
        return plan_refuse(parser, "file_bytes=%" PRIu64 ": the sequence would have more than %d files; make them larger",
                           trial->file_bytes, SEQUENCE_FILES_MOST);
    return true;
}

static bool check_access(struct parser *parser, const struct sustained_trial *trial)
{
    const bool random = sustained_random(trial);
    if (sustained_mixed(trial) && !random)
        return plan_refuse(parser, "operation=mixed: reads and writes the blocks of one working set; use access=random");
    if (sustained_mixed(trial) && trial->read_percent == ABSENT)
        return plan_refuse(parser, "read_percent: is missing; operation=mixed needs the share of operations that read");
    if (!sustained_mixed(trial) && trial->read_percent != ABSENT)
        return plan_refuse(parser, "read_percent=%" PRIu64 ": only operation=mixed has it; omit it", trial->read_percent);
    if (random && trial->layout != SUSTAINED_LAYOUT_ONE)
        return plan_refuse(parser, "layout=%s: access=random has one file per stream; use layout=one",
                           sustained_layouts[trial->layout]);
    if (random && trial->file_bytes > LENGTH_MOST / trial->streams)
        return plan_refuse(parser, "file_bytes=%" PRIu64 ": the files of %" PRIu64 " streams would have more than %llu bytes; make "
                                   "them smaller",
                           trial->file_bytes, trial->streams, LENGTH_MOST);
    return random || trial->seed == 0 ||
           plan_refuse(parser, "seed=%" PRIu64 ": determines the order of access=random; omit it", trial->seed);
}

static bool check_depth(struct parser *parser, const struct sustained_trial *trial)
{
    if (trial->queue_depth > 1 && trial->engine != SUSTAINED_ENGINE_IO_URING)
        return plan_refuse(parser, "queue_depth=%" PRIu64 ": a stream of engine=threads has one operation in flight; use "
                                   "engine=io_uring, or more streams",
                           trial->queue_depth);
    return trial->file_bytes == 0 || trial->file_bytes / trial->block >= trial->queue_depth ||
           plan_refuse(parser, "queue_depth=%" PRIu64 ": a file of %" PRIu64 " bytes has fewer blocks; make it larger",
                       trial->queue_depth, trial->file_bytes);
}

static bool check_read_back(struct parser *parser, const struct sustained_trial *trial)
{
    if (trial->read_back && sustained_reads(trial))
        return plan_refuse(parser, "read_back=%" PRIu64 ": a read verifies its data anyway; omit it", trial->read_back);
    return trial->read_back != READ_BACK_OTHER_HOST || !sustained_random(trial) ||
           plan_refuse(parser, "read_back=%" PRIu64 ": not with access=random; use 1 or omit it", trial->read_back);
}

static bool check_preparation(struct parser *parser, const struct sustained_trial *trial)
{
    const char *reason = sustained_reads(trial)                                  ? "a read's files are written once before it"
                         : trial->layout == SUSTAINED_LAYOUT_SEQUENCE                   ? "the files of a sequence do not exist before the trial"
                         : trial->file_bytes == 0 && trial->duration_ms          ? "the size of the file is unknown"
                                                                                 : NULL;
    return trial->precondition_passes == 0 || !reason ||
           plan_refuse(parser, "precondition_passes=%" PRIu64 ": %s; use layout=ring or omit it", trial->precondition_passes, reason);
}

static bool check_pace(struct parser *parser, const struct sustained_trial *trial)
{
    const bool rate = trial->pace == PACE_RATE, burst = trial->pace == PACE_BURST;
    if (rate != (trial->rate_bytes_per_s > 0))
        return plan_refuse(parser, "rate_bytes_per_s=%" PRIu64 ": pace=rate needs it, and no other pace has it",
                           trial->rate_bytes_per_s);
    if (burst != (trial->burst_blocks > 0) || (!burst && (trial->gap_ns || trial->quantum_ns)))
        return plan_refuse(parser, "burst_blocks=%" PRIu64 ": pace=burst needs it, and no other pace has it, gap_ns or quantum_ns",
                           trial->burst_blocks);
    return true;
}

static bool parse_rates(struct parser *parser, struct sustained_trial *trial)
{
    const char *at = trial->rates ? trial->rates : "";
    while (*at) {
        char *end = NULL;
        unsigned long long rate = *at >= '1' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (rate == 0 || rate > SUSTAINED_RATE_BYTES_PER_S_MOST || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0') ||
            trial->backlog_rate_count == PLAN_RATES_MOST)
            return plan_refuse(parser, "rates=%s: is not a list of at most %d numbers of bytes per second; separate them by commas",
                               trial->rates, PLAN_RATES_MOST);
        trial->backlog_rates[trial->backlog_rate_count++] = (double)rate;
        at = *end ? end + 1 : end;
    }
    return true;
}

bool sustained_complete(struct parser *parser, struct trial *common)
{
    struct sustained_trial *trial = (struct sustained_trial *)common;
    if (!check_length(parser, trial) || !check_read(parser, trial) || !check_sync(parser, trial) ||
        !check_access(parser, trial) || !check_files(parser, trial) || !check_depth(parser, trial) || !check_pace(parser, trial) || !check_preparation(parser, trial) || !check_read_back(parser, trial) ||
        !parse_rates(parser, trial))
        return false;
    if (trial->mark_bytes % trial->block != 0)
        return plan_refuse(parser, "mark_bytes=%" PRIu64 " is not a multiple of block=%" PRIu64 "; use whole blocks",
                           trial->mark_bytes, trial->block);
    trial->read_percent = sustained_mixed(trial) ? trial->read_percent : 0;
    common->total_bytes = (trial->length_bytes + trial->block - 1) / trial->block * trial->block;
    return true;
}

static uint64_t left_of(uint64_t whole, uint64_t done, uint64_t least)
{
    return whole > done && whole - done > least ? whole - done : least;
}

void sustained_resume(struct trial *common)
{
    struct sustained_trial *trial = (struct sustained_trial *)common;
    const uint64_t mark = trial->mark_bytes > trial->streams * trial->block ? trial->mark_bytes : trial->streams * trial->block;
    if (trial->length_bytes)
        trial->length_bytes = common->total_bytes = left_of(common->total_bytes, common->done_bytes, mark);
    else
        trial->duration_ms = left_of(trial->duration_ms, common->done_ns / NS_PER_MS, NS_PER_S / NS_PER_MS);
    trial->ramp_ms = 0;
}

uint64_t sustained_blocks(const struct sustained_trial *trial, uint64_t stream)
{
    if (trial->length_bytes == 0)
        return LENGTH_MOST / trial->block;
    const uint64_t blocks = trial->common.total_bytes / trial->block;
    return blocks / trial->streams + (stream < blocks % trial->streams);
}
