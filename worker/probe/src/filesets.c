#include "filesets.h"

#include "clock.h"
#include "residency.h"
#include "run.h"
#include "stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREPARE_BLOCK (4ull << 20)

static bool needs_set(const struct trial *trial)
{
    return trial->kind == KIND_READ || trial->layout == LAYOUT_OVERWRITE;
}

static struct fileset *set_of(const struct filesets *sets, const struct trial *trial)
{
    for (size_t i = 0; i < sets->count; i++) {
        struct fileset *set = &sets->list[i];
        if (set->kind == trial->kind && set->layout == trial->layout && set->file_size_asked == trial->file_size_asked)
            return set;
    }
    return NULL;
}

bool filesets_plan(struct filesets *sets, const struct plan *plan)
{
    sets->count = 0;
    sets->list = calloc(plan->count, sizeof *sets->list);
    if (!sets->list)
        return false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        if (!needs_set(trial))
            continue;
        struct fileset *set = set_of(sets, trial);
        if (!set) {
            set = &sets->list[sets->count++];
            set->kind = trial->kind;
            set->layout = trial->layout;
            set->file_size_asked = trial->file_size_asked;
        }
        set->file_size = trial->file_size > set->file_size ? trial->file_size : set->file_size;
        set->files = trial->files > set->files ? trial->files : set->files;
        set->last_trial = i;
    }
    return true;
}

void filesets_free(struct filesets *sets)
{
    free(sets->list);
    *sets = (struct filesets){0};
}

static void set_file_name(const struct run *run, const struct fileset *set, uint64_t file, char *name, size_t size)
{
    snprintf(name, size, "set%zu-%" PRIu64, (size_t)(set - run->sets.list), file);
}

static bool allocate(int file, uint64_t bytes, struct failure *failure)
{
    /* fallocate(2), not posix_fallocate: a library that writes zeros instead is another layout */
    return fallocate(file, 0, 0, (off_t)bytes) == 0 || fail_errno(failure, errno, "the file can not be preallocated");
}

static bool write_stamped(struct run *run, int file, uint64_t bytes, uint64_t key, struct failure *failure)
{
    char *data = buffers_random(&run->buffers, PREPARE_BLOCK);
    if (!data)
        return fail_errno(failure, errno, "buffers can not be allocated");
    for (uint64_t at = 0; at < bytes;) {
        uint64_t size = bytes - at < PREPARE_BLOCK ? bytes - at : PREPARE_BLOCK;
        if (!run_goes_on(run) || !run_has_space(run, 0, failure))
            return false;
        stamp_block(data, size, at, key, run->stamps);
        run->stamps += stamps_most(size);
        ssize_t written = pwrite(file, data, size, (off_t)at);
        if (written < 0 && errno != EINTR)
            return fail_errno(failure, errno, "a test file can not be prepared");
        /* a short write ends between two stamps: go on from the last whole sector */
        at += written > 0 ? ((uint64_t)written == size ? size : (uint64_t)written / STAMP_EVERY * STAMP_EVERY) : 0;
    }
    return true;
}

static bool prepare_file(struct run *run, const struct fileset *set, uint64_t number, struct failure *failure)
{
    char name[FILE_NAME];
    set_file_name(run, set, number, name, sizeof name);
    int file = openat(run->workdir.dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return fail_errno(failure, errno, "a test file can not be made");
    uint64_t key = stamp_key(run->plan.run, number);
    /* A set to be overwritten is written once; one to be read after overwriting, twice. */
    int passes = set->layout == LAYOUT_OVERWRITE && set->kind == KIND_READ ? 2 : 1;
    bool good = set->layout != LAYOUT_PREALLOCATED || allocate(file, set->file_size, failure);
    for (int pass = 0; good && pass < passes; pass++) {
        good = write_stamped(run, file, set->file_size, key, failure);
        if (good && !residency_drop(file))
            good = fail_errno(failure, errno, "a prepared test file can not be synced");
    }
    close(file);
    return good;
}

static struct text *set_notice(struct run *run, const char *code, const char *message, const struct fileset *set)
{
    struct text *line = notice_begin(&run->spool, code, message);
    json_uint(line, "bytes", set->files * set->file_size);
    json_uint(line, "files", set->files);
    return line;
}

static bool prepare_set(struct run *run, struct fileset *set, struct failure *failure)
{
    uint64_t started = clock_mono();
    if (!run_has_space(run, set->files * set->file_size, failure))
        return false;
    set_notice(run, "preparing", "test files are written before the trials that use them; this is not measured", set);
    event_end(&run->spool);
    set->made = true;
    for (uint64_t i = 0; i < set->files; i++)
        if (!prepare_file(run, set, i, failure))
            return false;
    struct text *line = set_notice(run, "prepared", "test files are written, synced and dropped from the page cache", set);
    json_uint(line, "ns", clock_mono() - started);
    event_end(&run->spool);
    return true;
}

static void remove_set(struct run *run, struct fileset *set)
{
    char name[FILE_NAME];
    for (uint64_t i = 0; set->made && i < set->files; i++) {
        set_file_name(run, set, i, name, sizeof name);
        workdir_remove_file(&run->workdir, name);
    }
    set->made = false;
}

static int open_flags(const struct trial *trial)
{
    static const int modes[] = {[OPEN_RW] = 0, [OPEN_RWD] = O_DSYNC, [OPEN_RWS] = O_SYNC};
    return modes[trial->open] | (trial->cache == CACHE_DIRECT ? O_DIRECT : 0) | O_NOFOLLOW | O_CLOEXEC;
}

static bool open_file(struct run *run, const struct trial *trial, const struct fileset *set, uint64_t number,
                      struct test_file *file, struct failure *failure)
{
    int flags = open_flags(trial) | (set ? 0 : O_CREAT | O_EXCL);
    if (set)
        set_file_name(run, set, number, file->name, sizeof file->name);
    else
        /* a name for each trial: what one could not remove must not stop the next */
        snprintf(file->name, sizeof file->name, "file%zu-%" PRIu64, (size_t)(trial - run->plan.trials), number);
    atomic_init(&file->next, 0);
    file->blocks = trial->file_size / trial->block;
    file->shared = trial->threads > trial->files;
    file->key = stamp_key(run->plan.run, number);
    file->file = openat(run->workdir.dir, file->name, O_RDWR | flags, 0600);
    if (file->file < 0 && errno == EINVAL && trial->cache == CACHE_DIRECT)
        return fail(failure, "direct_refused", EINVAL, false, "the file system refuses O_DIRECT; choose cache=page here");
    if (file->file < 0)
        return fail_errno(failure, errno, "a test file can not be opened");
    return trial->kind == KIND_READ || trial->layout != LAYOUT_PREALLOCATED ||
           allocate(file->file, trial->file_size, failure);
}

bool files_open(struct run *run, size_t index, struct test_file *files, struct failure *failure)
{
    const struct trial *trial = &run->plan.trials[index];
    struct fileset *set = needs_set(trial) ? set_of(&run->sets, trial) : NULL;
    for (uint64_t i = 0; i < trial->files; i++)
        files[i].file = -1;
    if (set && !set->made && !prepare_set(run, set, failure)) {
        remove_set(run, set);
        return false;
    }
    if (!set && !run_has_space(run, trial_bytes(trial), failure))
        return false;
    for (uint64_t i = 0; i < trial->files; i++)
        if (!open_file(run, trial, set, i, &files[i], failure))
            return false;
    return true;
}

uint64_t files_first_read(struct run *run, size_t index, const uint64_t *bytes)
{
    const struct trial *trial = &run->plan.trials[index];
    struct fileset *set = set_of(&run->sets, trial);
    uint64_t first = 0;
    for (uint64_t i = 0; i < trial->files; i++) {
        if (bytes[i] <= set->read[i])
            continue;
        first += bytes[i] - set->read[i];
        set->read[i] = bytes[i];
    }
    return first;
}

void files_close(struct run *run, size_t index, struct test_file *files)
{
    const struct trial *trial = &run->plan.trials[index];
    struct fileset *set = needs_set(trial) ? set_of(&run->sets, trial) : NULL;
    for (uint64_t i = 0; i < trial->files; i++) {
        if (files[i].file >= 0)
            close(files[i].file);
        if (!set && files[i].name[0])
            workdir_remove_file(&run->workdir, files[i].name);
    }
    if (set && set->last_trial == index)
        remove_set(run, set);
}
