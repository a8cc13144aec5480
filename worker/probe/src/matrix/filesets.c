#include "matrix/filesets.h"

#include "clock.h"
#include "prepare.h"
#include "residency.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool needs_set(const struct matrix_trial *trial)
{
    return trial->operation == MATRIX_OPERATION_READ || trial->layout == MATRIX_LAYOUT_OVERWRITE;
}

static struct fileset *set_of(const struct filesets *sets, const struct matrix_trial *trial)
{
    for (size_t i = 0; i < sets->count; i++) {
        struct fileset *set = &sets->list[i];
        if (set->operation == trial->operation && set->layout == trial->layout && set->file_size_asked == trial->file_size_asked)
            return set;
    }
    return NULL;
}

static bool plan_sets(struct filesets *sets, const struct plan *plan)
{
    sets->list = calloc(plan->count, sizeof *sets->list);
    if (!sets->list)
        return false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct matrix_trial *trial = matrix_trial(plan_trial(plan, i));
        if (!needs_set(trial))
            continue;
        struct fileset *set = set_of(sets, trial);
        if (!set) {
            set = &sets->list[sets->count++];
            set->operation = trial->operation;
            set->layout = trial->layout;
            set->file_size_asked = trial->file_size_asked;
        }
        set->file_size = trial->file_size > set->file_size ? trial->file_size : set->file_size;
        set->files = trial->files > set->files ? trial->files : set->files;
        set->last_trial = trial->common.position;
    }
    return true;
}

bool filesets_begin(struct filesets *sets, struct workspace *workspace, struct failure *failure)
{
    *sets = (struct filesets){.workspace = workspace, .identity = testdata_run(workspace->plan->run)};
    if (!pattern_make(&sets->pattern, workspace->plan->pool_bytes))
        return fail_errno(failure, errno, "the test data's pool cannot be allocated");
    return plan_sets(sets, workspace->plan) || fail_errno(failure, ENOMEM, "the plan's file sets cannot be allocated");
}

void filesets_end(struct filesets *sets)
{
    pattern_free(&sets->pattern);
    free(sets->list);
    sets->list = NULL;
    sets->count = 0;
}

static void set_file_name(const struct filesets *sets, const struct fileset *set, uint64_t file, char *name, size_t size)
{
    snprintf(name, size, "set%zu-%" PRIu64, (size_t)(set - sets->list), file);
}

static bool allocate(struct filesets *sets, int file, uint64_t bytes, struct failure *failure)
{
    if (!errand_calls(&sets->workspace->errand, "fallocate"))
        return false;
    /* fallocate(2), not posix_fallocate: a library that writes zeros instead would create another
     * layout */
    return fallocate(file, 0, 0, (off_t)bytes) == 0 || fail_errno(failure, errno, "the file cannot be preallocated");
}

/* A set to be overwritten is written once; one to be read after overwriting, twice. */
static uint64_t passes_of(const struct fileset *set)
{
    return set->layout == MATRIX_LAYOUT_OVERWRITE && set->operation == MATRIX_OPERATION_READ ? 2 : 1;
}

/* The content after one more pass over files: `first_key` and `pass` of file 0. */
static struct content next_content(struct filesets *sets, uint64_t files, uint64_t file_size)
{
    struct content content = {.run = sets->identity, .pass = ++sets->passes, .first_key = sets->keys};
    sets->keys += files * pattern_keys(&sets->pattern, file_size);
    return content;
}

static struct content content_of_file(const struct filesets *sets, struct content content, uint64_t number, uint64_t file_size)
{
    content.file = (uint32_t)number;
    content.first_key += number * pattern_keys(&sets->pattern, file_size);
    return content;
}

/* Creates a set's file in its first pass, and overwrites it in later ones. */
static bool prepare_file(struct filesets *sets, struct fileset *set, uint64_t number, uint64_t pass, struct failure *failure)
{
    char name[FILE_NAME];
    set_file_name(sets, set, number, name, sizeof name);
    if (pass == 0) {
        if (!errand_calls(&sets->workspace->errand, "open"))
            return false;
        int made = workdir_create(&sets->workspace->workdir, sets->workspace->unnamed ? NULL : name, 0);
        if (made < 0)
            return fail_errno(failure, errno, "a test file cannot be created");
        set->made[set->made_count++] = made;
    }
    int file = set->made[number];
    struct content content = content_of_file(sets, set->content, number, set->file_size);
    bool good = pass || set->layout != MATRIX_LAYOUT_PREALLOCATED || allocate(sets, file, set->file_size, failure);
    good = good && prepare_content(sets->workspace, &sets->pattern, &content, 0, file, set->file_size, failure) &&
           errand_calls(&sets->workspace->errand, "fsync");
    if (good && !residency_drop(file))
        good = fail_errno(failure, errno, "a prepared test file cannot be synced");
    return good;
}

static bool prepare_set(struct filesets *sets, struct fileset *set, struct failure *failure)
{
    const uint64_t began = clock_mono(), bytes = set->files * set->file_size;
    if (!limits_space(&sets->workspace->limits, bytes, failure))
        return false;
    prepare_begins(sets->workspace->spool, set->files, bytes);
    for (uint64_t pass = 0; pass < passes_of(set); pass++) {
        set->content = next_content(sets, set->files, set->file_size);
        for (uint64_t i = 0; i < set->files; i++)
            if (!prepare_file(sets, set, i, pass, failure))
                return false;
    }
    prepare_ended(sets->workspace->spool, set->files, bytes, began);
    return true;
}

static void remove_set(struct filesets *sets, struct fileset *set)
{
    char name[FILE_NAME];
    for (uint64_t i = 0; i < set->made_count; i++) {
        set_file_name(sets, set, i, name, sizeof name);
        workdir_discard(&sets->workspace->workdir, set->made[i], sets->workspace->unnamed ? NULL : name);
    }
    sets->workspace->settling.removed_bytes += set->made_count * set->file_size;
    set->made_count = 0;
    memset(set->read, 0, sizeof set->read);
}

void filesets_remove(struct filesets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        remove_set(sets, &sets->list[i]);
}

static int open_flags(const struct matrix_trial *trial)
{
    static const int modes[] = {[MATRIX_OPEN_RW] = 0, [MATRIX_OPEN_RWD] = O_DSYNC, [MATRIX_OPEN_RWS] = O_SYNC};
    return modes[trial->open] | (trial->cache == MATRIX_CACHE_DIRECT ? O_DIRECT : 0);
}

static bool open_file(struct filesets *sets, const struct matrix_trial *trial, const struct fileset *set,
                      const struct content *content, uint64_t number, struct test_file *file, struct failure *failure)
{
    if (!errand_calls(&sets->workspace->errand, "open"))
        return false;
    if (!set && !sets->workspace->unnamed)
        /* a name for each trial: a file that could not be removed must not stop the next trial */
        snprintf(file->name, sizeof file->name, "file%" PRIu64 "-%" PRIu64, trial->common.position, number);
    atomic_init(&file->next, 0);
    file->blocks = trial->file_size / trial->block;
    file->shared = trial->threads > trial->files;
    file->content = content_of_file(sets, *content, number, set ? set->file_size : trial->file_size);
    file->file = set ? workdir_reopen(set->made[number], open_flags(trial))
                     : workdir_create(&sets->workspace->workdir, sets->workspace->unnamed ? NULL : file->name, open_flags(trial));
    if (file->file < 0 && errno == EINVAL && trial->cache == MATRIX_CACHE_DIRECT)
        return fail_direct(failure, EINVAL);
    if (file->file < 0)
        return fail_errno(failure, errno, "a test file cannot be opened");
    return trial->operation == MATRIX_OPERATION_READ || trial->layout != MATRIX_LAYOUT_PREALLOCATED ||
           allocate(sets, file->file, trial->file_size, failure);
}

bool files_open(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files, struct failure *failure)
{
    struct fileset *set = needs_set(trial) ? set_of(sets, trial) : NULL;
    if (set && set->made_count == 0 && !prepare_set(sets, set, failure)) {
        remove_set(sets, set);
        return false;
    }
    if (!set && !limits_space(&sets->workspace->limits, trial->common.total_bytes, failure))
        return false;
    struct content content = trial->operation == MATRIX_OPERATION_READ
                                 ? set->content
                                 : next_content(sets, trial->files, set ? set->file_size : trial->file_size);
    for (uint64_t i = 0; i < trial->files; i++)
        if (!open_file(sets, trial, set, &content, i, &files[i], failure))
            return false;
    return true;
}

uint64_t files_prepared_bytes(const struct filesets *sets, const struct matrix_trial *trial)
{
    const struct fileset *set = needs_set(trial) ? set_of(sets, trial) : NULL;
    return set && set->made_count == 0 ? set->files * set->file_size * passes_of(set) : 0;
}

uint64_t files_first_read(struct filesets *sets, const struct matrix_trial *trial, const uint64_t *bytes)
{
    struct fileset *set = set_of(sets, trial);
    uint64_t first = 0;
    for (uint64_t i = 0; i < trial->files; i++) {
        if (bytes[i] <= set->read[i])
            continue;
        first += bytes[i] - set->read[i];
        set->read[i] = bytes[i];
    }
    return first;
}

void files_close(struct filesets *sets, const struct matrix_trial *trial, struct test_file *files)
{
    struct fileset *set = needs_set(trial) ? set_of(sets, trial) : NULL;
    for (uint64_t i = 0; i < trial->files; i++) {
        if (files[i].file < 0)
            continue;
        if (set) {
            close(files[i].file);
            continue;
        }
        workdir_discard(&sets->workspace->workdir, files[i].file, files[i].name);
        sets->workspace->settling.removed_bytes += trial->file_size;
    }
    if (set && set->last_trial == trial->common.position)
        remove_set(sets, set);
}
