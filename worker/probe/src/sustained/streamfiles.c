#include "sustained/streamfiles.h"

#include "clock.h"
#include "prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME 64

void timing_add(struct timing *timing, uint64_t ns)
{
    timing->count++;
    timing->sum_ns += ns;
    timing->max_ns = ns > timing->max_ns ? ns : timing->max_ns;
}

void timing_merge(struct timing *sum, const struct timing *timing)
{
    sum->count += timing->count;
    sum->sum_ns += timing->sum_ns;
    sum->max_ns = timing->max_ns > sum->max_ns ? timing->max_ns : sum->max_ns;
}

static bool is_sequence(const struct streamfiles *files)
{
    return files->trial->layout == SUSTAINED_LAYOUT_SEQUENCE;
}

/* The position of the trial is part of the name: a file that could not be removed must not stop
 * the next trial. */
static const char *file_name(const struct streamfiles *files, uint64_t number, char *name)
{
    const bool shared = files->trial->read_back == READ_BACK_OTHER_HOST;
    if (files->workspace->unnamed && !is_sequence(files) && !shared)
        return NULL;
    snprintf(name, NAME, "stream%" PRIu64 "-%" PRIu64 "-%" PRIu64, files->trial->common.position, files->stream, number);
    return name;
}

static int direct_flag(const struct streamfiles *files)
{
    return files->trial->cache == SUSTAINED_CACHE_DIRECT ? O_DIRECT : 0;
}

static int create(struct streamfiles *files, uint64_t number, uint64_t *took_ns)
{
    char name[NAME];
    return workdir_create_timed(&files->workspace->workdir, file_name(files, number, name), direct_flag(files), took_ns);
}

/* Opens a file of a sequence that was prepared. */
static int open_prepared(const struct streamfiles *files, uint64_t number, uint64_t *took_ns)
{
    char name[NAME];
    const uint64_t began = clock_mono();
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | direct_flag(files);
    const int file = openat(files->workspace->workdir.dir, file_name(files, number, name), flags);
    *took_ns = clock_mono() - began;
    return file;
}

/* Files that are open at the same time. */
static uint64_t open_count(const struct streamfiles *files)
{
    return files->trial->layout == SUSTAINED_LAYOUT_RING ? files->trial->files : 1;
}

static bool allocate(struct streamfiles *files, struct failure *failure)
{
    files->open = calloc(open_count(files), sizeof *files->open);
    return files->open || fail_errno(failure, ENOMEM, "the streams' files cannot be allocated");
}

bool streamfiles_open(struct streamfiles *files, struct failure *failure)
{
    const uint64_t count = open_count(files);
    uint64_t took_ns;
    if (!allocate(files, failure))
        return false;
    for (; files->count < count; files->count++) {
        if (!errand_calls(&files->workspace->errand, "open"))
            return false;
        int file = create(files, files->count, &took_ns);
        if (file < 0 && errno == EINVAL && files->trial->cache == SUSTAINED_CACHE_DIRECT)
            return fail_direct(failure, EINVAL);
        if (file < 0)
            return fail_errno(failure, errno, "a test file cannot be created");
        files->open[files->count] = file;
    }
    return true;
}

/* Creates a file with its part of the content; -1 with a failure, or at a stop. */
static int prepare_file(struct streamfiles *files, uint64_t number, struct attempt *attempt, const struct pattern *pattern,
                        const struct content *content, uint64_t bytes)
{
    char name[NAME];
    const uint64_t most = files->trial->file_bytes, from = number * most;
    const uint64_t size = most && bytes - from > most ? most : bytes - from;
    if (!errand_calls(&files->workspace->errand, "open"))
        return -1;
    const int file = workdir_create(&files->workspace->workdir, file_name(files, number, name), 0);
    if (file < 0)
        return fail_errno(&attempt->failure, errno, "a test file cannot be created"), -1;
    if (prepare_content(files->workspace, pattern, content, from, file, size, &attempt->failure) &&
        prepare_reading(attempt, file, size))
        return file;
    workdir_discard(&files->workspace->workdir, file, file_name(files, number, name));
    return -1;
}

bool streamfiles_prepare(struct streamfiles *files, struct attempt *attempt, const struct pattern *pattern,
                         const struct content *content, uint64_t bytes)
{
    const uint64_t count = streamfiles_count(files, bytes);
    if (!allocate(files, &attempt->failure))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const int file = prepare_file(files, i, attempt, pattern, content, bytes);
        if (file < 0)
            return false;
        if (i < open_count(files)) {
            files->open[files->count] = workdir_reopen(file, direct_flag(files));
            if (files->open[files->count] < 0)
                fail_errno(&attempt->failure, errno, "a test file cannot be opened");
            else
                files->count++;
        }
        close(file);
        if (attempt->failure.code)
            return false;
    }
    return true;
}

uint64_t streamfiles_count(const struct streamfiles *files, uint64_t bytes)
{
    const uint64_t size = files->trial->file_bytes;
    return size ? (bytes + size - 1) / size : 1;
}

int streamfiles_current(const struct streamfiles *files)
{
    return files->open[files->number % files->count];
}

/* Adds a call that began at `began`, without the time in which the process stood still, which is
 * returned; `timing` has it unless it began before the measured part. */
static uint64_t add_call(const struct streamfiles *files, struct timing *timing, uint64_t began, uint64_t took, uint64_t *busy_ns)
{
    const uint64_t still = standstill_within(files->workspace->standstill, began, began + took);
    took -= still < took ? still : took;
    *busy_ns += took;
    if (began >= files->measured_ns)
        timing_add(timing, took);
    return took;
}

int streamfiles_sync(struct streamfiles *files, uint64_t *busy_ns)
{
    const char *before = thread_enters(files->thread, "fdatasync");
    const uint64_t began = clock_mono();
    files->unsynced = 0;
    files->synced_ns = began;
    const int error = fdatasync(streamfiles_current(files)) == 0 ? 0 : errno;
    const uint64_t took = add_call(files, &files->sync, began, clock_mono() - began, busy_ns);
    if (began >= files->measured_ns)
        files->sync_histogram[histogram_index(took)]++;
    thread_enters(files->thread, before);
    return error;
}

/* Closes the file of a sequence, and creates or opens the next one. */
static bool go_on(struct streamfiles *files, uint64_t *busy_ns)
{
    const char *before = thread_enters(files->thread, "close");
    uint64_t began = clock_mono();
    const int closed = close(files->open[0]);
    uint64_t took = clock_mono() - began;
    files->open[0] = -1; /* also if it failed: the descriptor is gone */
    if (closed != 0)
        return false;
    add_call(files, &files->close, began, took, busy_ns);
    if (files->number + 1 == SEQUENCE_FILES_MOST) {
        errno = EOVERFLOW; /* names the limit, unlike EMFILE */
        return false;
    }
    thread_enters(files->thread, "open");
    began = clock_mono();
    files->open[0] = sustained_reads(files->trial) ? open_prepared(files, files->number + 1, &took)
                                                   : create(files, files->number + 1, &took);
    add_call(files, &files->create, began, took, busy_ns);
    thread_enters(files->thread, before);
    return files->open[0] >= 0;
}

bool streamfiles_changes(const struct streamfiles *files, uint64_t offset)
{
    return files->trial->layout != SUSTAINED_LAYOUT_ONE && offset / files->trial->file_bytes != files->number;
}

int64_t streamfiles_seek(struct streamfiles *files, uint64_t offset, uint64_t *busy_ns)
{
    const struct sustained_trial *trial = files->trial;
    if (trial->layout == SUSTAINED_LAYOUT_ONE)
        return (int64_t)offset;
    const uint64_t number = offset / trial->file_bytes;
    if (streamfiles_changes(files, offset)) {
        int error = sustained_syncs(trial) ? streamfiles_sync(files, busy_ns) : 0;
        if (error) {
            errno = error;
            return -1;
        }
        if (is_sequence(files) && !go_on(files, busy_ns))
            return -1;
        files->number = number;
        if (sustained_syncs(trial))
            files->synced = number;
        if (sustained_reads(trial) && trial->cache == SUSTAINED_CACHE_PAGE && number >= files->count && !is_sequence(files))
            posix_fadvise(streamfiles_current(files), 0, 0, POSIX_FADV_DONTNEED);
    }
    return (int64_t)(offset % trial->file_bytes);
}

int streamfiles_sync_all(struct streamfiles *files, const atomic_bool *stop)
{
    char name[NAME];
    int error = 0;
    for (uint64_t i = files->synced; is_sequence(files) && i < files->number && !error; i++) {
        int file = openat(files->workspace->workdir.dir, file_name(files, i, name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        error = file < 0 || fdatasync(file) != 0 ? errno : 0;
        if (file >= 0)
            close(file);
        if (!error && atomic_load(stop))
            error = EINTR; /* after a stop no new call begins */
    }
    for (uint64_t i = 0; i < files->count && !error; i++)
        error = fdatasync(files->open[i]) == 0 ? 0 : errno;
    return error;
}

uint64_t streamfiles_footprint(const struct streamfiles *files, uint64_t bytes)
{
    const struct sustained_trial *trial = files->trial;
    const uint64_t ring = sustained_random(trial) ? trial->file_bytes : trial->files * trial->file_bytes;
    return (trial->layout == SUSTAINED_LAYOUT_RING || sustained_random(trial)) && bytes > ring ? ring : bytes;
}

int streamfiles_open_again(const struct streamfiles *files, uint64_t number)
{
    char name[NAME];
    const char *named = file_name(files, number, name);
    if (!named)
        return workdir_reopen(files->open[number], direct_flag(files));
    return openat(files->workspace->workdir.dir, named, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | direct_flag(files));
}

void streamfiles_close(struct streamfiles *files)
{
    char name[NAME];
    for (uint64_t i = 0; i < files->count; i++)
        if (files->open[i] >= 0)
            workdir_discard(&files->workspace->workdir, files->open[i],
                            file_name(files, is_sequence(files) ? files->number : i, name));
    free(files->open);
    files->open = NULL;
    files->count = 0;
}
