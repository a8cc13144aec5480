#include "transfer/smallfiles.h"

#include "clock.h"
#include "crc32c.h"
#include "prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DIRECTORY_FILES 1000
#define SPACE_UNIT 4096
#define NAME 48

/* The position of the trial is part of the name: what could not be removed must not stop the next
 * trial. */
static const char *directory_name(const struct small_files *files, char name[NAME])
{
    snprintf(name, NAME, "%s%" PRIu64, SMALL_PREFIX, files->trial->common.position);
    return name;
}

static const char *file_name(uint64_t number, char name[NAME])
{
    snprintf(name, NAME, "%03" PRIu64 "/%06" PRIu64, number / DIRECTORY_FILES, number);
    return name;
}

static uint64_t directories(const struct transfer_trial *trial)
{
    return (trial->small_files + DIRECTORY_FILES - 1) / DIRECTORY_FILES;
}

static uint64_t first_file(const struct transfer_trial *trial, uint64_t number)
{
    return (number - trial->all_blocks) * trial->pack_files;
}

uint64_t small_files_space(const struct transfer_trial *trial)
{
    return trial->small_files * ((trial->small_file_bytes + SPACE_UNIT - 1) / SPACE_UNIT * SPACE_UNIT);
}

void small_files_fill(const struct small_files *files, const struct pattern *pattern, uint64_t number, char *data)
{
    const struct transfer_trial *trial = files->trial;
    testdata_fill(pattern, &files->content, first_file(trial, number) * trial->small_file_bytes, data, unit_bytes(trial, number));
}

/* A file system has a table of inodes, or makes them as it needs them and reports none (btrfs) or
 * what its free space allows (XFS). */
static bool lacks_inodes(int directory, uint64_t needed, uint64_t *free_inodes)
{
    struct statvfs found;
    if (fstatvfs(directory, &found) != 0 || found.f_files == 0)
        return false;
    *free_inodes = found.f_favail;
    return found.f_favail < needed;
}

static bool has_inodes(const struct small_files *files, const struct attempt *attempt, struct failure *failure)
{
    const uint64_t needed = files->trial->small_files + directories(files->trial) + 1;
    uint64_t left = 0;
    return !lacks_inodes(attempt->workspace->workdir.dir, needed, &left) ||
           fail(failure, "no_space", ENOSPC, false,
                "small_files=%" PRIu64 " needs %" PRIu64 " inodes with the directories, and the file system has %" PRIu64
                " left; use fewer small files, or a file system with more inodes",
                files->trial->small_files, needed, left);
}

static bool fail_create(const struct small_files *files, int error, struct failure *failure)
{
    uint64_t left;
    if (error == ENOSPC && lacks_inodes(files->directory, 1, &left))
        return fail(failure, "no_space", ENOSPC, false,
                    "a small file cannot be created: the file system has no inode left; use fewer small files, or a file "
                    "system with more inodes");
    return fail_errno(failure, error, "a small file cannot be created");
}

static bool make_directories(struct small_files *files, struct attempt *attempt)
{
    struct workspace *workspace = attempt->workspace;
    char name[NAME];
    if (!has_inodes(files, attempt, &attempt->failure) || !errand_calls(&workspace->errand, "mkdir"))
        return false;
    files->directory = workdir_directory(&workspace->workdir, directory_name(files, name));
    if (files->directory < 0)
        return fail_errno(&attempt->failure, errno, "the directory of the small files cannot be created");
    for (uint64_t i = 0; i < directories(files->trial); i++) {
        snprintf(name, sizeof name, "%03" PRIu64, i);
        if (!errand_calls(&workspace->errand, "mkdir"))
            return false;
        if (mkdirat(files->directory, name, 0700) != 0)
            return fail_create(files, errno, &attempt->failure);
    }
    return true;
}

static int create(const struct small_files *files, uint64_t number)
{
    char name[NAME];
    return openat(files->directory, file_name(number, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int open_existing(const struct small_files *files, uint64_t number)
{
    char name[NAME];
    return openat(files->directory, file_name(number, name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* False with errno, EINTR at a stop. */
static bool write_whole(int file, const char *data, uint64_t bytes, const atomic_bool *stop)
{
    for (uint64_t done = 0; done < bytes;) {
        const ssize_t written = pwrite(file, data + done, bytes - done, (off_t)done);
        if (written < 0 && (errno != EINTR || atomic_load(stop)))
            return false;
        done += written > 0 ? (uint64_t)written : 0;
    }
    return true;
}

/* False with errno, EINTR at a stop; `short_file` if the file ends before that. */
static bool read_whole(int file, char *data, uint64_t bytes, const atomic_bool *stop, bool *short_file)
{
    for (uint64_t done = 0; done < bytes;) {
        const ssize_t got = pread(file, data + done, bytes - done, (off_t)done);
        *short_file = got == 0;
        if (got == 0 || (got < 0 && (errno != EINTR || atomic_load(stop))))
            return false;
        done += got > 0 ? (uint64_t)got : 0;
    }
    return true;
}

/* Writes the files of a pack, whose data is in memory. */
static bool prepare_pack(struct small_files *files, uint64_t number, const char *data, struct attempt *attempt)
{
    const struct transfer_trial *trial = files->trial;
    struct errand *errand = &attempt->workspace->errand;
    const uint64_t count = unit_files(trial, number), first = first_file(trial, number);
    if (!limits_space(&attempt->workspace->limits, 0, &attempt->failure))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!errand_calls(errand, "open"))
            return false;
        const int file = create(files, first + i);
        if (file < 0)
            return fail_create(files, errno, &attempt->failure);
        const bool good = write_whole(file, data + i * trial->small_file_bytes, trial->small_file_bytes, &errand->ending);
        const int reason = errno;
        close(file);
        if (!good)
            return reason == EINTR ? false : fail_errno(&attempt->failure, reason, "a small file cannot be prepared");
        atomic_fetch_add(&errand->bytes, trial->small_file_bytes);
    }
    return true;
}

/* Drops the files from the page cache, once they are synced. Their inodes and names stay in the
 * kernel's caches, which only root can drop. */
static bool drop(struct small_files *files, struct attempt *attempt)
{
    struct findings *findings = &attempt->findings;
    for (uint64_t i = 0; i < files->trial->small_files; i++) {
        if (!errand_calls(&attempt->workspace->errand, "fadvise"))
            return false;
        const int file = open_existing(files, i);
        if (file < 0)
            return fail_errno(&attempt->failure, errno, "a small file cannot be opened");
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        residency_count(file, files->trial->small_file_bytes, &findings->resident_checked, &findings->resident_pages);
        close(file);
    }
    return true;
}

static bool prepare_files(struct small_files *files, const struct pattern *pattern, struct attempt *attempt)
{
    const struct transfer_trial *trial = files->trial;
    char *data = buffers_scratch(&attempt->workspace->buffers, trial->block);
    files->crcs = calloc(trial->packs, sizeof *files->crcs);
    if (!data || !files->crcs)
        return fail_errno(&attempt->failure, ENOMEM, "the small files' buffers cannot be allocated");
    for (uint64_t i = 0; i < trial->packs; i++) {
        const uint64_t number = trial->all_blocks + i;
        small_files_fill(files, pattern, number, data);
        files->crcs[i] = ~crc32c(CRC32C_BEGIN, data, unit_bytes(trial, number), pattern->hardware);
        if (!prepare_pack(files, number, data, attempt))
            return false;
    }
    if (!errand_calls(&attempt->workspace->errand, "syncfs"))
        return false;
    if (syncfs(files->directory) != 0)
        return fail_errno(&attempt->failure, errno, "the small files cannot be synced before reading");
    return drop(files, attempt);
}

bool small_files_open(struct small_files *files, const struct pattern *pattern, struct attempt *attempt)
{
    files->times = calloc(files->trial->disk_threads, sizeof *files->times);
    if (!files->times)
        return fail_errno(&attempt->failure, ENOMEM, "the small files' counters cannot be allocated");
    return make_directories(files, attempt) && (!transfer_sends(files->trial) || prepare_files(files, pattern, attempt));
}

void small_files_close(struct small_files *files, struct attempt *attempt)
{
    struct workspace *workspace = attempt->workspace;
    char name[NAME];
    if (files->directory >= 0) {
        close(files->directory);
        files->directory = -1;
        workdir_discard_directory(&workspace->workdir, directory_name(files, name));
        workspace->settling.removed_bytes += small_bytes(files->trial);
    }
    free(files->crcs);
    free(files->times);
    files->crcs = NULL;
    files->times = NULL;
}

static void add(struct small_calls *calls, uint64_t ns)
{
    calls->count++;
    calls->sum_ns += ns;
    calls->max_ns = ns > calls->max_ns ? ns : calls->max_ns;
    calls->histogram[histogram_index(ns)]++;
}

static bool close_timed(int file, struct small_calls *calls)
{
    const uint64_t began = clock_mono();
    const bool good = close(file) == 0;
    if (good)
        add(calls, clock_mono() - began);
    return good;
}

static bool is_stopped(const atomic_bool *stop)
{
    errno = EINTR;
    return atomic_load_explicit(stop, memory_order_relaxed);
}

static bool note_change(struct small_files *files, uint64_t file)
{
    atomic_store(&files->changed, file + 1);
    errno = EIO;
    return false;
}

static bool read_file(struct small_files *files, struct small_times *times, uint64_t number, char *data, const atomic_bool *stop)
{
    struct stat found;
    bool ended_early = false;
    const uint64_t began = clock_mono();
    const int file = open_existing(files, number);
    if (file < 0)
        return errno == ENOENT || errno == ELOOP ? note_change(files, number) : false;
    add(&times->open, clock_mono() - began);
    const bool whole = fstat(file, &found) != 0 || (uint64_t)found.st_size == files->trial->small_file_bytes;
    const bool good = whole && read_whole(file, data, files->trial->small_file_bytes, stop, &ended_early);
    const int reason = errno;
    const bool closed = close_timed(file, &times->close);
    if (!whole || ended_early)
        return note_change(files, number);
    errno = good ? errno : reason;
    return good && closed;
}

bool small_files_read(struct small_files *files, uint64_t thread, uint64_t number, char *data, const atomic_bool *stop)
{
    const struct transfer_trial *trial = files->trial;
    const uint64_t count = unit_files(trial, number), first = first_file(trial, number);
    for (uint64_t i = 0; i < count; i++)
        if (is_stopped(stop) || !read_file(files, &files->times[thread], first + i, data + i * trial->small_file_bytes, stop))
            return false;
    return true;
}

static bool write_file(struct small_files *files, struct small_times *times, uint64_t number, const char *data,
                       const atomic_bool *stop)
{
    const uint64_t began = clock_mono();
    const int file = create(files, number);
    if (file < 0)
        return false;
    add(&times->open, clock_mono() - began);
    const bool good = write_whole(file, data, files->trial->small_file_bytes, stop);
    const int reason = errno;
    const bool closed = close_timed(file, &times->close);
    errno = good ? errno : reason;
    return good && closed;
}

bool small_files_write(struct small_files *files, uint64_t thread, uint64_t number, const char *data, const atomic_bool *stop)
{
    const struct transfer_trial *trial = files->trial;
    const uint64_t count = unit_files(trial, number), first = first_file(trial, number);
    for (uint64_t i = 0; i < count; i++)
        if (is_stopped(stop) || !write_file(files, &files->times[thread], first + i, data + i * trial->small_file_bytes, stop))
            return false;
    return true;
}

bool small_files_match(struct small_files *files, uint64_t number, uint32_t crc)
{
    return files->crcs[number - files->trial->all_blocks] == crc || note_change(files, first_file(files->trial, number));
}

/* One call for all: to open each file again for an fsync would cost more than the file. It writes
 * what others have in the file system's cache as well. */
int small_files_sync(struct small_files *files)
{
    const uint64_t began = clock_mono();
    const int error = syncfs(files->directory) == 0 ? 0 : errno;
    atomic_store(&files->sync_ns, clock_mono() - began);
    return error;
}

bool small_files_explain(struct small_files *files, int error, struct failure *failure)
{
    const uint64_t changed = atomic_load(&files->changed);
    uint64_t left;
    if (files->directory < 0)
        return false;
    if (changed) {
        fail(failure, "source_changed", 0, false,
             "small file %" PRIu64 ", or one after it in its block, is not as it was prepared: another program changed or removed "
             "it during the trial; leave the test directory alone, and run the trial again",
             changed - 1);
        return true;
    }
    if (error != ENOSPC || !lacks_inodes(files->directory, 1, &left))
        return false;
    fail_create(files, error, failure);
    return true;
}

static void calls_field(struct text *line, const char *name, const struct small_files *files, size_t offset)
{
    static struct small_calls sum; /* of the run's thread, and too large for its stack */
    memset(&sum, 0, sizeof sum);
    for (uint64_t i = 0; i < files->trial->disk_threads; i++) {
        const struct small_calls *calls = (const struct small_calls *)((const char *)&files->times[i] + offset);
        sum.count += calls->count;
        sum.sum_ns += calls->sum_ns;
        sum.max_ns = calls->max_ns > sum.max_ns ? calls->max_ns : sum.max_ns;
        for (uint64_t step = 0; step < HISTOGRAM_STEPS; step++)
            sum.histogram[step] += calls->histogram[step];
    }
    json_open(line, name, '{');
    json_uint(line, "count", sum.count);
    json_uint(line, "sum_ns", sum.sum_ns);
    json_uint(line, "max_ns", sum.max_ns);
    histogram_field(line, "hist", sum.histogram);
    json_close(line, '}');
}

void small_files_field(struct text *line, const struct small_files *files)
{
    if (!files->times)
        return;
    json_open(line, "small_files", '{');
    calls_field(line, "open", files, offsetof(struct small_times, open));
    calls_field(line, "close", files, offsetof(struct small_times, close));
    json_uint(line, "sync_ns", atomic_load(&files->sync_ns));
    json_close(line, '}');
}
