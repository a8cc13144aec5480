#include "transfer/disk.h"

#include "clock.h"
#include "prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define NAME 64

struct content supply_content(struct supply *supply, uint64_t bytes)
{
    struct content content = {.run = supply->identity, .pass = ++supply->passes, .first_key = supply->keys};
    supply->keys += pattern_keys(&supply->pattern, bytes);
    return content;
}

static bool is_source(const struct transfer *transfer)
{
    return transfer_sends(transfer->trial);
}

/* The position of the trial is part of the name: a file that could not be removed must not stop
 * the next trial. */
static const char *file_name(const struct transfer *transfer, const struct attempt *attempt, uint64_t number, char *name)
{
    if (attempt->workspace->unnamed)
        return NULL;
    snprintf(name, NAME, "path%" PRIu64 "-%" PRIu64, transfer->trial->common.position, number);
    return name;
}

/* Bytes of one of the files; the first ones have a block more if they do not divide. */
static uint64_t file_bytes(const struct transfer_trial *trial, uint64_t number)
{
    return (trial->all_blocks / trial->disk_threads + (number < trial->all_blocks % trial->disk_threads)) * trial->block;
}

static int open_flags(const struct transfer *transfer)
{
    const uint64_t cache = is_source(transfer) ? transfer->trial->source_cache : transfer->trial->sink_cache;
    return cache == PATH_SOURCE_CACHE_DIRECT ? O_DIRECT : 0;
}

static bool prepare_source(struct transfer *transfer, struct supply *supply, struct attempt *attempt, uint64_t number)
{
    struct disk_file *file = &transfer->files[number];
    const uint64_t bytes = file_bytes(transfer->trial, number);
    file->content = supply_content(supply, bytes);
    file->content.file = (uint32_t)number;
    if (!prepare_content(attempt->workspace, &supply->pattern, &file->content, 0, file->file, bytes, &attempt->failure) ||
        !prepare_reading(attempt, file->file, bytes))
        return false;
    int reopened = open_flags(transfer) ? workdir_reopen(file->file, open_flags(transfer)) : file->file;
    if (reopened < 0)
        return errno == EINVAL ? fail_direct(&attempt->failure, EINVAL)
                               : fail_errno(&attempt->failure, errno, "a test file cannot be opened");
    if (reopened != file->file)
        close(file->file);
    file->file = reopened;
    return true;
}

static bool open_file(struct transfer *transfer, struct attempt *attempt, uint64_t number)
{
    char name[NAME];
    const int flags = is_source(transfer) ? 0 : open_flags(transfer);
    if (!errand_calls(&attempt->workspace->errand, "open"))
        return false;
    int made = workdir_create(&attempt->workspace->workdir, file_name(transfer, attempt, number, name), flags);
    transfer->files[number].file = made;
    if (made < 0 && errno == EINVAL && flags)
        return fail_direct(&attempt->failure, EINVAL);
    return made >= 0 || fail_errno(&attempt->failure, errno, "a test file cannot be created");
}

bool disk_open(struct transfer *transfer, struct supply *supply, struct attempt *attempt)
{
    const struct transfer_trial *trial = transfer->trial;
    struct workspace *workspace = attempt->workspace;
    const uint64_t began = clock_mono(), bytes = trial->common.total_bytes, files = trial->disk_threads + trial->small_files;
    attempt_settle(attempt);
    if (!errand_calls(&workspace->errand, "stat") || !target_holds(&workspace->target, &attempt->failure) ||
        (open_flags(transfer) && !attempt_direct_fits(attempt, trial->block)) ||
        !limits_space(&workspace->limits, bytes - small_bytes(trial) + small_files_space(trial), &attempt->failure))
        return false;
    if (is_source(transfer)) {
        attempt->findings.unwritten = EXTENTS_NONE;
        prepare_begins(workspace->spool, files, bytes);
    }
    for (uint64_t i = 0; i < trial->disk_threads; i++)
        if (!open_file(transfer, attempt, i) ||
            (is_source(transfer) && !prepare_source(transfer, supply, attempt, i)))
            return false;
    if (trial->small_files && !small_files_open(&transfer->small_files, &supply->pattern, attempt))
        return false;
    if (is_source(transfer))
        prepare_ended(workspace->spool, files, bytes, began);
    return true;
}

void disk_close(struct transfer *transfer, struct attempt *attempt)
{
    char name[NAME];
    for (uint64_t i = 0; i < DISK_THREADS_MOST; i++) {
        const int file = transfer->files[i].file;
        const off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
        if (file < 0)
            continue;
        attempt->workspace->settling.removed_bytes += size > 0 ? (uint64_t)size : 0;
        workdir_discard(&attempt->workspace->workdir, file, file_name(transfer, attempt, i, name));
        transfer->files[i].file = -1;
    }
    small_files_close(&transfer->small_files, attempt);
}
