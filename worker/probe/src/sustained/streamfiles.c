#include "sustained/streamfiles.h"

#include "clock.h"

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
    return files->trial->layout == SUSTAINED_SEQUENCE;
}

/* The position of the trial is part of the name: a file that could not be removed must not stop
 * the next trial. */
static const char *file_name(const struct streamfiles *files, uint64_t number, char *name)
{
    if (files->workspace->unnamed && !is_sequence(files))
        return NULL;
    snprintf(name, NAME, "stream%" PRIu64 "-%" PRIu64 "-%" PRIu64, files->trial->common.position, files->stream, number);
    return name;
}

static int create(struct streamfiles *files, uint64_t number, uint64_t *took_ns)
{
    char name[NAME];
    int flags = files->trial->cache == SUSTAINED_DIRECT ? O_DIRECT : 0;
    return workdir_create_timed(&files->workspace->workdir, file_name(files, number, name), flags, took_ns);
}

bool streamfiles_open(struct streamfiles *files, struct failure *failure)
{
    const uint64_t count = files->trial->layout == SUSTAINED_RING ? files->trial->files : 1;
    uint64_t took_ns;
    files->open = calloc(count, sizeof *files->open);
    if (!files->open)
        return fail_errno(failure, ENOMEM, "the streams' files cannot be allocated");
    for (; files->count < count; files->count++) {
        if (!errand_calls(&files->workspace->errand, "open"))
            return false;
        int file = create(files, files->count, &took_ns);
        if (file < 0 && errno == EINVAL && files->trial->cache == SUSTAINED_DIRECT)
            return fail(failure, "direct_refused", EINVAL, false, "the file system does not support O_DIRECT; use cache=page");
        if (file < 0)
            return fail_errno(failure, errno, "a test file cannot be created");
        files->open[files->count] = file;
    }
    return true;
}

int streamfiles_current(const struct streamfiles *files)
{
    return files->open[files->number % files->count];
}

static int timed_sync(int file, struct timing *timing, uint64_t *busy_ns)
{
    const uint64_t began = clock_mono();
    int error = fdatasync(file) == 0 ? 0 : errno;
    const uint64_t took = clock_mono() - began;
    timing_add(timing, took);
    *busy_ns += took;
    return error;
}

int streamfiles_sync(struct streamfiles *files, uint64_t *busy_ns)
{
    return timed_sync(streamfiles_current(files), &files->sync, busy_ns);
}

/* Closes the file of a sequence, and creates the next one. */
static bool go_on(struct streamfiles *files, uint64_t *busy_ns)
{
    const uint64_t began = clock_mono();
    uint64_t took = 0;
    const int closed = close(files->open[0]);
    files->open[0] = -1; /* also if it failed: the descriptor is gone */
    if (closed != 0)
        return false;
    timing_add(&files->close, clock_mono() - began);
    *busy_ns += clock_mono() - began;
    if (files->number + 1 == SEQUENCE_FILES_MOST) {
        errno = EMFILE;
        return false;
    }
    files->open[0] = create(files, files->number + 1, &took);
    timing_add(&files->create, took);
    *busy_ns += took;
    return files->open[0] >= 0;
}

int64_t streamfiles_seek(struct streamfiles *files, uint64_t offset, uint64_t *busy_ns)
{
    const struct sustained_trial *trial = files->trial;
    if (trial->layout == SUSTAINED_ONE)
        return (int64_t)offset;
    const uint64_t number = offset / trial->file_bytes;
    if (number != files->number) {
        int error = trial->sync_bytes ? streamfiles_sync(files, busy_ns) : 0;
        if (error) {
            errno = error;
            return -1;
        }
        if (is_sequence(files) && !go_on(files, busy_ns))
            return -1;
        files->number = number;
        if (trial->sync_bytes)
            files->synced = number;
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

uint64_t streamfiles_footprint(const struct streamfiles *files, uint64_t written)
{
    const uint64_t ring = files->trial->files * files->trial->file_bytes;
    return files->trial->layout == SUSTAINED_RING && written > ring ? ring : written;
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
