#include "workdir.h"

#include "host.h"
#include "rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD "workdir"
#define STEP (1ll << 30)

/* The record's first line: device and inode of the test directory (0 0 until it is made)
 * and of the target, and the boot in which the device numbers hold. */
struct record {
    uint64_t dev, ino, target_dev, target_ino;
    char boot[40];
    char name[64];
    char path[4000];
};

static bool write_record(int rundir, const struct record *record)
{
    char text[4400];
    int length = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n%s\n%s", record->dev,
                          record->ino, record->target_dev, record->target_ino, record->boot, record->name, record->path);
    return rundir_replace(rundir, RECORD, text, (size_t)length);
}

/* False with errno: ENOENT also for a record that says nothing. */
static bool read_record(int rundir, struct record *record)
{
    char text[4400];
    int at = 0;
    *record = (struct record){0};
    if (rundir_read(rundir, RECORD, text, sizeof text) < 0)
        return false;
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %39s\n%63[^\n]\n%n", &record->dev, &record->ino,
               &record->target_dev, &record->target_ino, record->boot, record->name, &at) != 6 || at == 0) {
        errno = ENOENT;
        return false;
    }
    snprintf(record->path, sizeof record->path, "%s", text + at);
    return true;
}

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

/* Takes back a directory that can not be used; false, with the errno of why it can not. */
static bool abandon(struct workdir *workdir, int rundir)
{
    int reason = errno;
    if (workdir->dir >= 0)
        close(workdir->dir);
    workdir->dir = -1;
    if (unlinkat(workdir->target, workdir->name, AT_REMOVEDIR) == 0)
        unlinkat(rundir, RECORD, 0);
    errno = reason;
    return false;
}

bool workdir_make(struct workdir *workdir, int rundir, int target, const char *path, const char *run)
{
    struct stat target_stat, made;
    struct record record = {0};
    *workdir = (struct workdir){.target = target, .dir = -1};
    make_name(workdir->name, sizeof workdir->name, run);
    if (fstat(target, &target_stat) != 0)
        return false;
    record.target_dev = target_stat.st_dev;
    record.target_ino = target_stat.st_ino;
    host_boot_id(record.boot);
    snprintf(record.name, sizeof record.name, "%s", workdir->name);
    snprintf(record.path, sizeof record.path, "%s", path);
    if (!write_record(rundir, &record) || mkdirat(target, workdir->name, 0700) != 0)
        return false;
    workdir->dir = openat(target, workdir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (workdir->dir >= 0 && fstat(workdir->dir, &made) == 0) {
        record.dev = made.st_dev;
        record.ino = made.st_ino;
        if (write_record(rundir, &record))
            return true;
    }
    return abandon(workdir, rundir);
}

void workdir_remove_file(const struct workdir *workdir, const char *name)
{
    struct stat file_stat;
    int file = openat(workdir->dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &file_stat) == 0 && S_ISREG(file_stat.st_mode))
        for (off_t left = file_stat.st_size - STEP; left > STEP && ftruncate(file, left) == 0; left -= STEP)
            ;
    if (file >= 0)
        close(file);
    unlinkat(workdir->dir, name, 0);
}

static uint64_t remove_files(const struct workdir *workdir)
{
    uint64_t bytes = 0;
    int listing = dup(workdir->dir);
    DIR *entries = listing >= 0 ? fdopendir(listing) : NULL;
    if (!entries)
        return 0;
    rewinddir(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat file_stat;
        if (entry->d_name[0] == '.')
            continue; /* our files' names never begin with a dot */
        if (fstatat(workdir->dir, entry->d_name, &file_stat, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += (uint64_t)file_stat.st_blocks * 512;
        workdir_remove_file(workdir, entry->d_name);
    }
    closedir(entries);
    return bytes;
}

bool workdir_remove(struct workdir *workdir, int rundir, uint64_t *bytes)
{
    if (workdir->dir < 0)
        return true;
    *bytes = remove_files(workdir);
    close(workdir->dir);
    workdir->dir = -1;
    if (unlinkat(workdir->target, workdir->name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return false;
    unlinkat(rundir, RECORD, 0);
    return true;
}

static enum leftover failed(struct swept *swept, const char *reason)
{
    snprintf(swept->reason, sizeof swept->reason, "%s", reason);
    return LEFTOVER_FAILED;
}

static bool is_same(const struct stat *found, uint64_t dev, uint64_t ino, bool same_boot)
{
    return found->st_ino == ino && (!same_boot || found->st_dev == dev);
}

static enum leftover sweep_inside(int rundir, int target, const struct record *record, struct swept *swept)
{
    struct stat found;
    char boot[40];
    host_boot_id(boot);
    bool same_boot = strcmp(boot, record->boot) == 0; /* device numbers change at a reboot */
    struct workdir workdir = {.target = target, .dir = -1};
    snprintf(workdir.name, sizeof workdir.name, "%s", record->name);
    if (fstat(target, &found) != 0 || !is_same(&found, record->target_dev, record->target_ino, same_boot))
        return failed(swept, "the target is another directory now; mount the former one to have it cleaned");
    workdir.dir = openat(target, workdir.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (workdir.dir < 0 && errno == ENOENT) {
        unlinkat(rundir, RECORD, 0);
        return LEFTOVER_NONE;
    }
    if (workdir.dir < 0 || fstat(workdir.dir, &found) != 0)
        return failed(swept, strerror(errno));
    if (record->ino != 0 && !is_same(&found, record->dev, record->ino, same_boot)) {
        close(workdir.dir);
        return failed(swept, "a directory of that name is not the one that the run made");
    }
    return workdir_remove(&workdir, rundir, &swept->bytes) ? LEFTOVER_REMOVED : failed(swept, strerror(errno));
}

enum leftover workdir_sweep(int rundir, struct swept *swept)
{
    struct record record;
    *swept = (struct swept){0};
    if (!read_record(rundir, &record))
        return errno == ENOENT ? LEFTOVER_NONE : failed(swept, strerror(errno));
    snprintf(swept->path, sizeof swept->path, "%s/%s", record.path, record.name);
    int target = open(record.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target < 0)
        return failed(swept, strerror(errno));
    enum leftover result = sweep_inside(rundir, target, &record, swept);
    close(target);
    return result;
}
