#include "workdir.h"

#include "clock.h"
#include "dirrecord.h"
#include "errand.h"
#include "filerecord.h"
#include "host.h"
#include "locks.h"
#include "orders.h"
#include "tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP (1ll << 30)

static void make_name(char *name, size_t size, const char *run)
{
    char safe[24];
    size_t used = 0;
    for (const char *c = run; *c && used < sizeof safe - 1; c++)
        safe[used++] = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80 ? *c : '-';
    safe[used] = '\0';
    uint64_t random = 0;
    while (getrandom(&random, sizeof random, 0) != sizeof random)
        ;
    snprintf(name, size, ".assay-%s-%016" PRIx64, safe, random);
}

/* Removes the empty directory that mkdirat has just created; false, with the errno of why it
 * cannot be used. */
static bool abandon(struct workdir *workdir)
{
    int reason = errno;
    if (workdir->dir >= 0)
        close(workdir->dir);
    workdir->dir = -1;
    if (unlinkat(workdir->target, workdir->name, AT_REMOVEDIR) == 0)
        dirrecord_remove(workdir->rundir);
    errno = reason;
    return false;
}

bool workdir_make(struct workdir *workdir, int rundir, int target, const char *path, const char *run)
{
    struct stat target_stat, made;
    struct dirrecord record = {0};
    *workdir = (struct workdir){.target = target, .dir = -1, .rundir = rundir};
    make_name(workdir->name, sizeof workdir->name, run);
    if (fstat(target, &target_stat) != 0)
        return false;
    record.target_dev = target_stat.st_dev;
    record.target_ino = target_stat.st_ino;
    host_boot_id(record.boot);
    snprintf(record.name, sizeof record.name, "%s", workdir->name);
    snprintf(record.path, sizeof record.path, "%s", path);
    if (!dirrecord_write(rundir, &record) || mkdirat(target, workdir->name, 0700) != 0)
        return false;
    workdir->dir = openat(target, workdir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (workdir->dir >= 0 && fstat(workdir->dir, &made) == 0) {
        record.dev = made.st_dev;
        record.ino = made.st_ino;
        if (dirrecord_write(rundir, &record))
            return true;
    }
    return abandon(workdir);
}

/* Other file systems treat unnamed files differently: on btrfs fsync skips the log and its
 * flush, f2fs writes a checkpoint. Rates would differ from those of ordinary files. */
bool workdir_keeps_unnamed(const struct workdir *workdir, const char *fs_type)
{
    static const char *const alike[] = {"ext2", "ext3", "ext4", "xfs", "tmpfs"};
    bool known = false;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        known = known || strcmp(fs_type, alike[i]) == 0;
    int file = known ? workdir_create(workdir, NULL, 0) : -1;
    int again = file < 0 ? -1 : workdir_reopen(file, 0);
    if (file >= 0)
        close(file);
    if (again >= 0)
        close(again);
    return again >= 0;
}

bool workdir_announce(const struct workdir *workdir, const char *name)
{
    return filerecord_add(workdir->rundir, name, NULL);
}

int workdir_create_timed(const struct workdir *workdir, const char *name, int flags, uint64_t *took_ns)
{
    struct stat made;
    flags |= O_RDWR | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    if (name && !filerecord_add(workdir->rundir, name, NULL))
        return -1;
    const uint64_t began = clock_mono();
    int file = openat(workdir->dir, name ? name : ".", (name ? O_CREAT : O_TMPFILE) | flags, 0600);
    *took_ns = clock_mono() - began;
    if (!name || file < 0 || (fstat(file, &made) == 0 && filerecord_add(workdir->rundir, name, &made)))
        return file;
    int reason = errno;
    workdir_discard(workdir, file, name);
    errno = reason;
    return -1;
}

int workdir_create(const struct workdir *workdir, const char *name, int flags)
{
    uint64_t took_ns;
    return workdir_create_timed(workdir, name, flags, &took_ns);
}

int workdir_reopen(int file, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDWR | O_CLOEXEC | flags);
}

static void calls(const struct workdir *workdir, const char *call)
{
    if (workdir->errand)
        errand_clears(workdir->errand, call);
}

static void cut_down(const struct workdir *workdir, int file, off_t size)
{
    bool good = true;
    for (off_t left = size - STEP; good && left > 0; left -= STEP) {
        calls(workdir, "ftruncate");
        good = ftruncate(file, left) == 0;
    }
}

void workdir_discard(const struct workdir *workdir, int file, const char *name)
{
    struct stat opened, named;
    if (fstat(file, &opened) == 0) {
        cut_down(workdir, file, opened.st_size);
        if (name && name[0] && fstatat(workdir->dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) {
            calls(workdir, "unlink");
            unlinkat(workdir->dir, name, 0);
        }
    }
    calls(workdir, "close");
    close(file);
}

static void names_call(void *own, const char *call)
{
    calls(own, call);
}

int workdir_directory(const struct workdir *workdir, const char *name)
{
    struct stat made;
    if (mkdirat(workdir->dir, name, 0700) != 0)
        return -1;
    const int directory = openat(workdir->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0 && fstat(directory, &made) == 0 && filerecord_add(workdir->rundir, name, &made))
        return directory;
    const int reason = errno;
    if (directory >= 0)
        close(directory);
    unlinkat(workdir->dir, name, AT_REMOVEDIR);
    errno = reason;
    return -1;
}

bool workdir_discard_directory(const struct workdir *workdir, const char *name)
{
    uint64_t bytes = 0;
    return tree_remove(workdir->dir, name, names_call, (void *)(uintptr_t)workdir, &bytes);
}

/* Whether test files, and the single ones beside them, are named like this. */
static bool is_test_name(const char *name)
{
    static const char *const prefixes[] = {"file", "set", "stream", "path", FILL_PREFIX, "settle", "alignment"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && name[length + strspn(name + length, "0123456789-")] == '\0')
            return true;
    }
    return false;
}

/* Whether a file is one of the run's. Syncing the record for each file would disturb the measurement,
 * so a power failure may have lost its end: after a reboot, this user's files with the name of a test
 * file count, too. They lie in the run's own directory, which is known by its inode. */
static bool is_own(const struct recorded_file *recorded, const char *name, const struct stat *found, bool same_boot)
{
    return filerecord_is(recorded, found, same_boot) ||
           (!same_boot && is_test_name(name) && found->st_uid == geteuid() && found->st_nlink == 1);
}

static bool is_filled_name(const char *name)
{
    return strncmp(name, FILLED_PREFIX, strlen(FILLED_PREFIX)) == 0 || strncmp(name, SMALL_PREFIX, strlen(SMALL_PREFIX)) == 0;
}

/* A directory of small files, or one that another program filled, is removed with everything in it.
 * After a reboot without its record it is known by its name, in the run's own directory. */
static uint64_t remove_directory(const struct workdir *workdir, const struct recorded_file *recorded, const char *name,
                                 bool same_boot, const struct stat *found)
{
    uint64_t bytes = 0;
    const bool named = !same_boot && is_filled_name(name) && found->st_uid == geteuid();
    if (named || (recorded && filerecord_is_same(found, recorded->dev, recorded->ino, same_boot)))
        tree_remove(workdir->dir, name, names_call, (void *)(uintptr_t)workdir, &bytes);
    return bytes;
}

static uint64_t remove_file(const struct workdir *workdir, const struct recorded_file *recorded, const char *name,
                            bool same_boot)
{
    struct stat found;
    if (fstatat(workdir->dir, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode))
        return remove_directory(workdir, recorded, name, same_boot, &found);
    int file = recorded || !same_boot ? openat(workdir->dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0)
        return 0;
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && is_own(recorded, name, &found, same_boot)) {
        workdir_discard(workdir, file, name);
        return (uint64_t)found.st_blocks * 512;
    }
    close(file);
    return 0;
}

static uint64_t remove_files(const struct workdir *workdir, bool same_boot, bool of_trial)
{
    uint64_t bytes = 0;
    size_t count;
    int listing = openat(workdir->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = listing >= 0 ? fdopendir(listing) : NULL;
    if (!entries)
        return 0;
    struct recorded_file *files = filerecord_read(workdir->rundir, &count);
    for (struct dirent *entry; (files || !same_boot) && (entry = readdir(entries));)
        if (entry->d_name[0] != '.' && /* names of test files never begin with a dot */
            !(of_trial && strncmp(entry->d_name, FILL_PREFIX, strlen(FILL_PREFIX)) == 0))
            bytes += remove_file(workdir, filerecord_find(files, count, entry->d_name), entry->d_name, same_boot);
    free(files);
    closedir(entries);
    return bytes;
}

void workdir_clear(const struct workdir *workdir)
{
    remove_files(workdir, true, true);
}

/* Removes the directory if its name still refers to the open one. */
static bool remove_dir(struct workdir *workdir)
{
    struct stat opened, named;
    bool good = fstat(workdir->dir, &opened) == 0;
    close(workdir->dir);
    workdir->dir = -1;
    if (!good)
        return false;
    if (fstatat(workdir->target, workdir->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    if (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino) {
        errno = ESTALE;
        return false;
    }
    calls(workdir, "rmdir");
    return unlinkat(workdir->target, workdir->name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static bool remove_within(struct workdir *workdir, bool same_boot, uint64_t *bytes)
{
    *bytes = remove_files(workdir, same_boot, false);
    if (!remove_dir(workdir))
        return false;
    unlinkat(workdir->rundir, FILE_RECORD, 0);
    dirrecord_remove(workdir->rundir);
    return true;
}

bool workdir_remove(struct workdir *workdir, uint64_t *bytes)
{
    return workdir->dir < 0 || remove_within(workdir, true, bytes);
}

/* The descriptor of the recorded file with this name in an open directory; -1 without one. */
static int take_file(const struct workdir *workdir, const char *name, bool same_boot)
{
    struct stat found;
    size_t count;
    int file = openat(workdir->dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct recorded_file *files = file >= 0 ? filerecord_read(workdir->rundir, &count) : NULL;
    const struct recorded_file *recorded = files ? filerecord_find(files, count, name) : NULL;
    const bool own = file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode) && is_own(recorded, name, &found, same_boot) &&
                     unlinkat(workdir->dir, name, 0) == 0;
    free(files);
    if (own || file < 0)
        return file;
    close(file);
    return -1;
}

int workdir_take_left(int rundir, const char *name)
{
    struct dirrecord record;
    struct stat found;
    char boot[40];
    host_boot_id(boot);
    if (!dirrecord_read(rundir, &record))
        return -1;
    const bool same_boot = strcmp(boot, record.boot) == 0;
    struct workdir workdir = {.target = open(record.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .dir = -1, .rundir = rundir};
    if (workdir.target >= 0)
        workdir.dir = openat(workdir.target, record.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool own = workdir.dir >= 0 && fstat(workdir.dir, &found) == 0 && record.ino != 0 &&
                     filerecord_is_same(&found, record.dev, record.ino, same_boot);
    const int file = own ? take_file(&workdir, name, same_boot) : -1;
    if (workdir.dir >= 0)
        close(workdir.dir);
    if (workdir.target >= 0)
        close(workdir.target);
    return file;
}

static enum leftover failed(struct swept *swept, const char *reason)
{
    snprintf(swept->reason, sizeof swept->reason, "%s", reason);
    return LEFTOVER_FAILED;
}

static enum leftover sweep_inside(int rundir, int target, const struct dirrecord *record, struct swept *swept)
{
    struct stat found;
    char boot[40];
    host_boot_id(boot);
    bool same_boot = strcmp(boot, record->boot) == 0; /* device numbers change at a reboot */
    struct workdir workdir = {.target = target, .dir = -1, .rundir = rundir};
    snprintf(workdir.name, sizeof workdir.name, "%s", record->name);
    if (fstat(target, &found) != 0 || !filerecord_is_same(&found, record->target_dev, record->target_ino, same_boot))
        return failed(swept, "the target is now a different directory; mount the previous one so that it can be cleaned");
    workdir.dir = openat(target, workdir.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (workdir.dir < 0 && errno == ENOENT) {
        dirrecord_remove(rundir);
        return LEFTOVER_NONE;
    }
    if (workdir.dir < 0 || fstat(workdir.dir, &found) != 0)
        return failed(swept, strerror(errno));
    if (record->ino != 0 && !filerecord_is_same(&found, record->dev, record->ino, same_boot)) {
        close(workdir.dir);
        return failed(swept, "the directory of that name is not the one that the run created");
    }
    /* without an inode in the record nothing was created inside: remove only an empty directory */
    if (remove_within(&workdir, same_boot, &swept->bytes))
        return LEFTOVER_REMOVED;
    return failed(swept, errno == ENOTEMPTY || errno == EEXIST ? "it contains files that the run did not create"
                                                               : strerror(errno));
}

enum leftover workdir_sweep(int rundir, struct swept *swept)
{
    struct dirrecord record;
    *swept = (struct swept){0};
    orders_sweep(rundir);
    if (!locks_sweep(rundir))
        return failed(swept, "the lock file in its target cannot be removed");
    if (!dirrecord_read(rundir, &record)) {
        if (errno != ENOENT)
            return failed(swept, strerror(errno));
        unlinkat(rundir, FILE_RECORD, 0); /* its directory is gone */
        return LEFTOVER_NONE;
    }
    snprintf(swept->path, sizeof swept->path, "%s/%s", record.path, record.name);
    int target = open(record.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target < 0)
        return failed(swept, strerror(errno));
    enum leftover result = sweep_inside(rundir, target, &record, swept);
    close(target);
    return result;
}
