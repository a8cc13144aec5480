#include "sustained/preparation.h"

#include "sustained/stream.h"

#include "clock.h"
#include "prepare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The free space is read again after each file: others may fill the same file system. */
#define FILL_FILE (1ull << 30)
#define FILL_LEAST (1ull << 20)
#define FILL_NUMBER UINT32_MAX /* in the stamps: not that of a stream */
#define IDLE_STEP_NS (100 * NS_PER_MS)

/* Reads the size and the free bytes of the target's file system. */
static bool read_space(struct attempt *attempt, uint64_t *size, uint64_t *free_bytes)
{
    struct statvfs found;
    if (!errand_calls(&attempt->workspace->errand, "statfs"))
        return false;
    if (fstatvfs(attempt->workspace->limits.dir, &found) != 0)
        return fail_errno(&attempt->failure, errno, "the target's free space cannot be determined");
    *size = (uint64_t)found.f_blocks * found.f_frsize;
    *free_bytes = (uint64_t)found.f_bavail * found.f_frsize;
    return true;
}

/* Writes one file of the fill, syncs it, and drops it from the page cache. */
static bool fill_file(struct attempt *attempt, struct supply *supply, uint64_t bytes)
{
    struct workspace *workspace = attempt->workspace;
    char name[64];
    const struct content content = supply_content(supply, FILL_NUMBER, bytes);
    snprintf(name, sizeof name, FILL_PREFIX "%" PRIu64, supply->fill_files++);
    if (!errand_calls(&workspace->errand, "open"))
        return false;
    const int file = workdir_create(&workspace->workdir, name, 0);
    if (file < 0)
        return fail_errno(&attempt->failure, errno, "a file that fills the target cannot be created");
    const bool good = prepare_content(workspace, &supply->pattern, &content, 0, file, bytes, &attempt->failure) &&
                      prepare_drop(attempt, file, "a file that fills the target cannot be synced");
    close(file);
    return good;
}

/* Adds the figures of a notice and writes it; `bytes` is negative without any. */
static void finish_notice(const struct attempt *attempt, struct text *line, int64_t bytes, uint64_t ns)
{
    json_uint(line, "trial", attempt->trial->position);
    if (bytes >= 0)
        json_int(line, "bytes", bytes);
    json_uint(line, "ns", ns);
    event_end(attempt->workspace->spool);
}

/* Whether a level leaves room for the reserve and the trial's files. */
static bool level_fits(struct attempt *attempt, uint64_t percent, uint64_t left, uint64_t planned)
{
    const uint64_t reserve = attempt->workspace->limits.reserve_bytes;
    return left >= reserve + planned ||
           fail(&attempt->failure, "no_space", ENOSPC, false,
                "fill_percent=%" PRIu64 " leaves %" PRIu64 " bytes free, less than the reserve of %" PRIu64
                " bytes and the trial's %" PRIu64 "; fill less, or make the files smaller",
                percent, left, reserve, planned);
}

/* A file system's figure of its free space may lag behind what was written. */
static uint64_t room_left(uint64_t at_first, uint64_t written, uint64_t free_bytes)
{
    const uint64_t counted = at_first > written ? at_first - written : 0;
    return counted < free_bytes ? counted : free_bytes;
}

bool preparation_fill(struct attempt *attempt, struct supply *supply, uint64_t percent, uint64_t planned,
                      struct prepared *done)
{
    struct errand *errand = &attempt->workspace->errand;
    const uint64_t began = clock_mono();
    uint64_t size, free_bytes;
    if (percent == 0)
        return true;
    supply->passes++;
    if (!read_space(attempt, &size, &free_bytes))
        return false;
    const uint64_t wanted = size / 100 * (100 - percent), at_first = free_bytes;
    uint64_t room = free_bytes;
    if (!level_fits(attempt, percent, wanted, planned))
        return false;
    errand_does(errand, "filling", free_bytes > wanted ? free_bytes - wanted : 0);
    while (room >= wanted + FILL_LEAST) {
        const uint64_t bytes = (room - wanted < FILL_FILE ? room - wanted : FILL_FILE) / FILL_LEAST * FILL_LEAST;
        if (!fill_file(attempt, supply, bytes) || !read_space(attempt, &size, &free_bytes))
            return false;
        done->fill_bytes += bytes;
        room = room_left(at_first, done->fill_bytes, free_bytes);
    }
    done->fill_ns = clock_mono() - began;
    done->size_bytes = size;
    done->level_bytes = size - free_bytes;
    struct text *line = notice_begin(attempt->workspace->spool, "filled",
                                     "the target's file system was filled to the level of the test; this is not measured");
    finish_notice(attempt, line, (int64_t)done->fill_bytes, done->fill_ns);
    return true;
}

/* Writes a stream's files once. */
static bool write_files(struct attempt *attempt, struct supply *supply, struct stream *stream)
{
    const struct streamfiles *files = &stream->files;
    const uint64_t footprint = stream->footprint, most = files->trial->file_bytes ? files->trial->file_bytes : footprint;
    const struct content content = supply_content(supply, stream->number, footprint);
    for (uint64_t i = 0, from = 0; i < files->count && from < footprint; i++, from += most) {
        const uint64_t bytes = footprint - from < most ? footprint - from : most;
        if (!prepare_content(files->workspace, &supply->pattern, &content, from, files->open[i], bytes, &attempt->failure))
            return false;
    }
    return true;
}

static bool settle_files(struct attempt *attempt, const struct stream *stream)
{
    for (uint64_t i = 0; i < stream->files.count; i++)
        if (!prepare_drop(attempt, stream->files.open[i], "a preconditioned file cannot be synced"))
            return false;
    return true;
}

bool preparation_precondition(struct attempt *attempt, struct supply *supply, uint64_t passes, struct prepared *done)
{
    struct work *own = attempt->own;
    const uint64_t began = clock_mono();
    uint64_t footprint = 0;
    if (passes == 0)
        return true;
    for (uint64_t i = 0; i < own->count; i++)
        footprint += own->streams[i].footprint;
    errand_does(&attempt->workspace->errand, "preconditioning", passes * footprint);
    for (; done->precondition_passes < passes; done->precondition_passes++) {
        supply->passes++;
        for (uint64_t i = 0; i < own->count; i++)
            if (!write_files(attempt, supply, &own->streams[i]))
                return false;
        for (uint64_t i = 0; i < own->count; i++)
            if (!settle_files(attempt, &own->streams[i]))
                return false;
        done->precondition_bytes += footprint;
    }
    done->precondition_ns = clock_mono() - began;
    struct text *line = notice_begin(attempt->workspace->spool, "preconditioned",
                                     "the working set was written and synced before the trial; this is not measured");
    finish_notice(attempt, line, (int64_t)done->precondition_bytes, done->precondition_ns);
    return true;
}

bool preparation_idle(struct attempt *attempt, uint64_t idle_ns, struct prepared *done)
{
    struct errand *errand = &attempt->workspace->errand;
    const uint64_t began = clock_mono();
    if (idle_ns == 0)
        return true;
    errand_does(errand, "idling", 0);
    for (uint64_t now = began; now - began < idle_ns; now = clock_mono()) {
        const uint64_t left = idle_ns - (now - began);
        if (!errand_calls(errand, "sleep"))
            return false;
        clock_sleep(left < IDLE_STEP_NS ? left : IDLE_STEP_NS);
    }
    done->idle_ns = clock_mono() - began;
    struct text *line = notice_begin(attempt->workspace->spool, "idled", "the storage rested before the trial");
    finish_notice(attempt, line, -1, done->idle_ns);
    return true;
}

void preparation_field(struct text *line, const struct prepared *done)
{
    json_open(line, "preparation", '{');
    json_uint(line, "fill_bytes", done->fill_bytes);
    json_uint(line, "fill_ns", done->fill_ns);
    json_known(line, "level_bytes", done->size_bytes ? (int64_t)done->level_bytes : -1);
    json_known(line, "size_bytes", done->size_bytes ? (int64_t)done->size_bytes : -1);
    json_uint(line, "precondition_passes", done->precondition_passes);
    json_uint(line, "precondition_bytes", done->precondition_bytes);
    json_uint(line, "precondition_ns", done->precondition_ns);
    json_uint(line, "idle_ns", done->idle_ns);
    json_close(line, '}');
}
