#include "lockfile.h"

#include "clock.h"
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HEAD "assay-lock 1\n"
#define RECORD_MOST 16384
#define TRIES 40
#define PAUSE_NS (25 * NS_PER_MS)

/* -- the record */

static void process_namespace(char *name, size_t size)
{
    ssize_t length = readlink("/proc/self/ns/pid", name, size - 1);
    name[length > 0 ? length : 0] = '\0';
}

void holder_identify(struct holder *holder)
{
    struct utsname names = {0};
    uname(&names);
    snprintf(holder->host, sizeof holder->host, "%s", names.nodename);
    host_boot_id(holder->boot);
    process_namespace(holder->processes, sizeof holder->processes);
    holder->pid = (uint64_t)getpid();
    holder->started = host_process_started(holder->pid, NULL, 0);
    holder->since = clock_read(CLOCK_REALTIME) / NS_PER_S;
}

static const struct text_field {
    const char *name;
    size_t offset, size;
} text_fields[] = {
#define TEXT(member) {#member, offsetof(struct holder, member), sizeof ((struct holder *)0)->member}
    TEXT(run), TEXT(group), TEXT(host), TEXT(boot), TEXT(processes), TEXT(rundir), TEXT(workdir),
};

static const struct number_field {
    const char *name;
    size_t offset;
} number_fields[] = {
    {"pid", offsetof(struct holder, pid)},
    {"started", offsetof(struct holder, started)},
    {"since", offsetof(struct holder, since)},
};

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static void write_record(int file, const struct holder *holder)
{
    char text[RECORD_MOST];
    int length = snprintf(text, sizeof text, HEAD);
    for (size_t i = 0; i < COUNT_OF(text_fields); i++) {
        char value[4200];
        snprintf(value, sizeof value, "%s", (const char *)holder + text_fields[i].offset);
        clean(value);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %s\n", text_fields[i].name, value);
    }
    for (size_t i = 0; i < COUNT_OF(number_fields); i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %" PRIu64 "\n", number_fields[i].name,
                           *(const uint64_t *)((const char *)holder + number_fields[i].offset));
    length += snprintf(text + length, sizeof text - (size_t)length, "end\n");
    if (pwrite(file, text, (size_t)length, 0) == length && ftruncate(file, length) == 0)
        return; /* otherwise the lock is held without a record */
}

static void read_field(struct holder *holder, const char *name, char *value)
{
    clean(value);
    for (size_t i = 0; i < COUNT_OF(text_fields); i++)
        if (strcmp(name, text_fields[i].name) == 0)
            snprintf((char *)holder + text_fields[i].offset, text_fields[i].size, "%s", value);
    for (size_t i = 0; i < COUNT_OF(number_fields); i++)
        if (strcmp(name, number_fields[i].name) == 0)
            *(uint64_t *)((char *)holder + number_fields[i].offset) = strtoull(value, NULL, 10);
}

enum record { RECORD_EMPTY, RECORD_WHOLE, RECORD_UNKNOWN };

static enum record read_record(int file, struct holder *holder)
{
    char text[RECORD_MOST];
    *holder = (struct holder){0};
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    if (length <= 0)
        return length == 0 ? RECORD_EMPTY : RECORD_UNKNOWN;
    text[length] = '\0';
    if (strncmp(text, HEAD, strlen(HEAD)) != 0)
        return RECORD_UNKNOWN;
    char *rest = text + strlen(HEAD);
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, ' ');
        if (strcmp(line, "end") == 0)
            return RECORD_WHOLE;
        if (value) {
            *value = '\0';
            read_field(holder, line, value + 1);
        }
    }
    return RECORD_EMPTY; /* being written */
}

/* -- the file */

static bool lock_as(int file, short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &whole) == 0;
}

/* Opens or creates the file; `made` says which. O_CREAT alone fails for a file of another user in
 * a sticky directory (fs.protected_regular), hence the two steps. */
static int open_or_make(int dir, const char *name, bool *made)
{
    struct stat found;
    *made = false;
    for (int tries = 0; tries < TRIES; tries++) {
        int file = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0 && errno == ENOENT) {
            file = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
            *made = file >= 0;
            if (*made && fchmod(file, 0666) != 0)
                errno = 0; /* then others only see that it is held */
        }
        if (file < 0 && errno == EEXIST)
            continue;
        if (file < 0)
            return -1;
        if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink <= 1 && found.st_size < RECORD_MOST)
            return file;
        close(file);
        errno = EINVAL; /* not a lock file of the probe: leave it unchanged */
        return -1;
    }
    errno = EAGAIN;
    return -1;
}

static bool is_named(const struct lockfile *lock)
{
    struct stat held, named;
    return fstat(lock->file, &held) == 0 && fstatat(lock->dir, lock->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/* The current time of the file server: clocks of hosts differ. */
static bool directory_time(int dir, int64_t *seconds)
{
    char name[80];
    struct stat made;
    snprintf(name, sizeof name, ".assay-time-%d-%016" PRIx64, (int)getpid(), clock_mono());
    int file = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, "t", 1) == 1 && fstat(file, &made) == 0;
    if (file >= 0) {
        close(file);
        unlinkat(dir, name, 0);
    }
    *seconds = good ? made.st_mtim.tv_sec : 0;
    return good;
}

/* Whether a file that counts by its existence is stale. */
static bool is_stale(const struct lockfile *lock, const struct holder *other)
{
    struct holder own = {0};
    struct stat found;
    int64_t present;
    holder_identify(&own);
    bool beside_us = other->boot[0] && strcmp(other->boot, own.boot) == 0 && strcmp(other->processes, own.processes) == 0;
    if (beside_us)
        return host_process_started(other->pid, NULL, 0) != other->started || other->started == 0;
    return fstat(lock->file, &found) == 0 && directory_time(lock->dir, &present) &&
           present - found.st_mtim.tv_sec > LOCKFILE_STALE_S;
}

/* Removes a stale file by renaming it, so that only one process does so, and none removes a file
 * that another has created since. */
static void remove_stale(const struct lockfile *lock)
{
    char aside[96];
    struct stat held, moved;
    snprintf(aside, sizeof aside, "%s.%d.%016" PRIx64, lock->name, (int)getpid(), clock_mono());
    if (fstat(lock->file, &held) != 0 || renameat(lock->dir, lock->name, lock->dir, aside) != 0)
        return;
    if (fstatat(lock->dir, aside, &moved, AT_SYMLINK_NOFOLLOW) == 0 && moved.st_ino != held.st_ino)
        linkat(lock->dir, aside, lock->dir, lock->name, 0);
    unlinkat(lock->dir, aside, 0);
}

static bool locks_are_refused(int error)
{
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

enum step { STEP_AGAIN, STEP_TAKEN, STEP_HELD, STEP_FAILED };

/* Evaluates the lock and the record of an open lock file. */
static enum step judge(struct lockfile *lock, const struct holder *own, bool made, bool across_hosts, struct holder *other)
{
    bool locked = lock_as(lock->file, F_WRLCK);
    int reason = errno;
    bool counts_by_existence = across_hosts || (!locked && locks_are_refused(reason));
    if (!locked && reason != EAGAIN && reason != EACCES && !locks_are_refused(reason)) {
        errno = reason;
        return STEP_FAILED;
    }
    if (!is_named(lock))
        return STEP_AGAIN; /* its last holder has just removed it */
    enum record record = made ? RECORD_EMPTY : read_record(lock->file, other);
    bool shares = record == RECORD_WHOLE && strcmp(other->group, own->group) == 0;
    /* after a power failure before the record was written, the file stays empty and becomes stale */
    bool exists = counts_by_existence && !made && !(record != RECORD_UNKNOWN && is_stale(lock, other));
    lock->shared = !locked && shares && other->pid != own->pid;
    if (record == RECORD_UNKNOWN) {
        errno = EINVAL;
        return STEP_FAILED;
    }
    if (!locked && !locks_are_refused(reason)) /* it is held */
        return record == RECORD_EMPTY ? STEP_AGAIN : !shares ? STEP_HELD : lock_as(lock->file, F_RDLCK) ? STEP_TAKEN : STEP_AGAIN;
    if (exists && !shares)
        return record == RECORD_EMPTY ? STEP_AGAIN : STEP_HELD;
    if (counts_by_existence && !locked && !made && !shares) {
        remove_stale(lock);
        return STEP_AGAIN;
    }
    if (!shares || !counts_by_existence) /* it may be from a dead participant of this run */
        write_record(lock->file, own);
    return !locked || lock_as(lock->file, F_RDLCK) ? STEP_TAKEN : STEP_AGAIN;
}

enum lock_outcome lockfile_take(struct lockfile *lock, int dir, const char *name, const struct holder *own,
                                bool across_hosts, struct holder *other)
{
    *lock = (struct lockfile){.dir = dup(dir), .file = -1, .touched = across_hosts};
    *other = (struct holder){0};
    snprintf(lock->name, sizeof lock->name, "%s", name);
    enum step step = lock->dir >= 0 ? STEP_AGAIN : STEP_FAILED;
    for (int tries = 0; step == STEP_AGAIN && tries < TRIES; tries++) {
        bool made;
        if (tries > 0)
            clock_sleep(PAUSE_NS);
        lock->file = open_or_make(lock->dir, lock->name, &made);
        step = lock->file < 0 ? STEP_FAILED : judge(lock, own, made, across_hosts, other);
        int reason = errno;
        if (step != STEP_TAKEN && lock->file >= 0)
            close(lock->file);
        errno = reason;
    }
    if (step == STEP_TAKEN)
        return LOCK_TAKEN;
    int reason = errno;
    if (lock->dir >= 0)
        close(lock->dir);
    lock->dir = lock->file = -1;
    errno = reason;
    /* held by a process that has not written its record */
    return step == STEP_FAILED ? LOCK_UNAVAILABLE : LOCK_HELD;
}

void lockfile_describe(const struct lockfile *lock, const struct holder *own)
{
    struct holder noted;
    /* a process that shares a lock keeps the record of the first holder */
    bool first = lock->dir >= 0 && read_record(lock->file, &noted) == RECORD_WHOLE && strcmp(noted.run, own->run) == 0;
    if (first)
        write_record(lock->file, own);
}

void lockfile_touch(const struct lockfile *lock)
{
    if (lock->dir >= 0)
        futimens(lock->file, NULL);
}

bool lockfile_release(struct lockfile *lock)
{
    struct holder noted;
    if (lock->dir < 0)
        return true;
    bool last = lock_as(lock->file, F_WRLCK), good = true;
    if (!last && locks_are_refused(errno)) /* then the process that wrote the record has the file open */
        last = read_record(lock->file, &noted) == RECORD_WHOLE && noted.pid == (uint64_t)getpid();
    if (last && is_named(lock) && unlinkat(lock->dir, lock->name, 0) != 0)
        good = ftruncate(lock->file, 0) == 0 && false; /* an empty file names no dead holder */
    lock_as(lock->file, F_UNLCK); /* the process that started this one may still have it open */
    close(lock->file);
    close(lock->dir);
    lock->dir = lock->file = -1;
    return good;
}

bool lockfile_remove_dead(int dir, const char *name, const char *rundir)
{
    struct holder noted;
    struct lockfile lock = {.dir = dir, .file = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    snprintf(lock.name, sizeof lock.name, "%s", name);
    if (lock.file < 0)
        return errno == ENOENT;
    bool free = lock_as(lock.file, F_WRLCK) || locks_are_refused(errno), good = true;
    enum record record = free ? read_record(lock.file, &noted) : RECORD_UNKNOWN;
    bool own = record == RECORD_WHOLE && strcmp(noted.rundir, rundir) == 0;
    if ((own || record == RECORD_EMPTY) && is_named(&lock))
        good = unlinkat(dir, name, 0) == 0;
    close(lock.file);
    return good;
}
