#include "rundir.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_parents(const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return mkdir(copy, 0700) == 0 || errno == EEXIST;
}

int rundir_open(const char *path, bool create)
{
    if (create && !make_parents(path))
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int rundir_lock(int dir)
{
    int lock = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return -1;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(lock, F_OFD_SETLK, &whole) == 0)
        return lock;
    int reason = errno == EACCES ? EAGAIN : errno;
    close(lock);
    errno = reason;
    return -1;
}

bool rundir_locked(int dir)
{
    int lock = openat(dir, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0)
        return errno != ENOENT; /* if the lock cannot be checked, assume that the run is alive */
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool held = fcntl(lock, F_OFD_GETLK, &whole) != 0 || whole.l_type != F_UNLCK;
    close(lock);
    return held;
}

void rundir_write_pid(int lock)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (ftruncate(lock, 0) == 0 && pwrite(lock, text, (size_t)length, 0) != length)
        return; /* only `stop` reads it, to distinguish stuck from slow */
}

pid_t rundir_pid(int dir)
{
    char text[32];
    return rundir_read(dir, "lock", text, sizeof text) > 0 ? (pid_t)atoi(text) : -1;
}

ssize_t rundir_read(int dir, const char *name, char *buffer, size_t size)
{
    int file = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return -1;
    ssize_t length = pread(file, buffer, size - 1, 0);
    close(file);
    if (length >= 0)
        buffer[length] = '\0';
    return length;
}

bool rundir_replace(int dir, const char *name, const char *data, size_t length)
{
    char temporary[NAME_MAX];
    snprintf(temporary, sizeof temporary, ".%s.%d", name, (int)getpid());
    int file = openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return false;
    bool good = write(file, data, length) == (ssize_t)length;
    close(file);
    if (good && renameat(dir, temporary, dir, name) == 0)
        return true;
    int reason = errno;
    unlinkat(dir, temporary, 0);
    errno = reason;
    return false;
}

bool rundir_sync(int dir, const char *name)
{
    const int file = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return false;
    const bool good = fsync(file) == 0 && (fsync(dir) == 0 || errno == EINVAL); /* some file systems sync no directory */
    const int reason = errno;
    close(file);
    errno = reason;
    return good;
}

/* 0 if there is none yet; false with errno if it cannot be read. */
static bool read_generation(int dir, uint64_t *generation)
{
    char text[32];
    ssize_t length = rundir_read(dir, "generation", text, sizeof text);
    *generation = length > 0 ? strtoull(text, NULL, 10) : 0;
    return length >= 0 || errno == ENOENT;
}

uint64_t rundir_generation(int dir)
{
    uint64_t generation;
    return read_generation(dir, &generation) ? generation : 0;
}

bool rundir_fence(int dir, uint64_t generation)
{
    /* Two verbs may run concurrently: compare and replace under a lock on the directory. */
    uint64_t seen;
    if (flock(dir, LOCK_EX) != 0)
        return false;
    bool good = read_generation(dir, &seen) && generation >= seen;
    if (good && generation > seen) {
        char text[32];
        int length = snprintf(text, sizeof text, "%" PRIu64 "\n", generation);
        good = rundir_replace(dir, "generation", text, (size_t)length);
    }
    int reason = errno;
    flock(dir, LOCK_UN);
    errno = reason;
    return good;
}

/* The record has a fixed width and is rewritten in place, so it is never missing. */
static bool write_watch(int dir, int flags, uint64_t watch_ns)
{
    int file = openat(dir, "watch", O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (file < 0)
        return false;
    char text[64];
    int length = snprintf(text, sizeof text, "%020" PRIu64 " %020" PRIu64 "\n",
                          clock_read(CLOCK_BOOTTIME) + watch_ns, watch_ns);
    bool good = pwrite(file, text, (size_t)length, 0) == length; /* otherwise the previous deadline stays */
    close(file);
    return good;
}

static bool read_watch(int dir, uint64_t *deadline, uint64_t *watch_ns)
{
    char text[64];
    return rundir_read(dir, "watch", text, sizeof text) > 0 && sscanf(text, "%" SCNu64 " %" SCNu64, deadline, watch_ns) == 2;
}

bool rundir_watch_begin(int dir, uint64_t watch_ns)
{
    return write_watch(dir, O_CREAT, watch_ns);
}

void rundir_watch_renew(int dir)
{
    uint64_t deadline, watch_ns;
    if (read_watch(dir, &deadline, &watch_ns))
        write_watch(dir, 0, watch_ns);
}

bool rundir_watch_passed(int dir)
{
    uint64_t deadline, watch_ns;
    if (read_watch(dir, &deadline, &watch_ns))
        return clock_read(CLOCK_BOOTTIME) > deadline;
    /* The run directory was removed: the run can no longer be followed or stopped. */
    return faccessat(dir, "watch", F_OK, 0) != 0 && errno == ENOENT;
}

bool rundir_ask_stop(int dir)
{
    int file = openat(dir, "stop", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return false;
    close(file);
    return true;
}

bool rundir_stop_asked(int dir)
{
    return faccessat(dir, "stop", F_OK, 0) == 0;
}

bool rundir_clear_stop(int dir)
{
    return unlinkat(dir, "stop", 0) == 0 || errno == ENOENT;
}

#define RELEASE "release"
#define ABORT "abort"
#define FINISH "finish"

bool rundir_release(int dir, uint64_t trial, enum release release, uint64_t at_ns)
{
    char text[64];
    const char *word = release == RELEASE_ABORT ? ABORT : FINISH;
    int length = release == RELEASE_AT ? snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, trial, at_ns)
                                       : snprintf(text, sizeof text, "%" PRIu64 " %s", trial, word);
    return rundir_replace(dir, RELEASE, text, (size_t)length);
}

enum release rundir_released(int dir, uint64_t trial, uint64_t *at_ns)
{
    char text[64], word[32];
    uint64_t released;
    if (rundir_read(dir, RELEASE, text, sizeof text) < 0 || sscanf(text, "%" SCNu64 " %31s", &released, word) != 2 ||
        released != trial)
        return RELEASE_NONE;
    if (strcmp(word, ABORT) == 0)
        return RELEASE_ABORT;
    if (strcmp(word, FINISH) == 0)
        return RELEASE_FINISH;
    *at_ns = strtoull(word, NULL, 10);
    return RELEASE_AT;
}

bool rundir_clear_release(int dir)
{
    return unlinkat(dir, RELEASE, 0) == 0 || errno == ENOENT;
}

#define VERIFIED "verified"

bool rundir_verified(int dir, uint64_t trial, uint64_t attempt, const char *report)
{
    char text[VERIFIED_MOST + 64];
    const int length = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 "\n%s", trial, attempt, report);
    return rundir_replace(dir, VERIFIED, text, (size_t)length);
}

bool rundir_find_verified(int dir, uint64_t trial, uint64_t attempt, char report[VERIFIED_MOST])
{
    char text[VERIFIED_MOST + 64], head[64];
    const int length = snprintf(head, sizeof head, "%" PRIu64 " %" PRIu64 "\n", trial, attempt);
    if (rundir_read(dir, VERIFIED, text, sizeof text) < 0 || strncmp(text, head, (size_t)length) != 0)
        return false;
    snprintf(report, VERIFIED_MOST, "%s", text + length);
    return true;
}

#define CONNECT "connect"

bool rundir_connect(int dir, uint64_t trial, const char *address, uint64_t port)
{
    char text[128];
    int length = snprintf(text, sizeof text, "%" PRIu64 " %s %" PRIu64, trial, address, port);
    return length < (int)sizeof text && rundir_replace(dir, CONNECT, text, (size_t)length);
}

bool rundir_connected(int dir, uint64_t trial, char address[PEER_ADDRESS], uint64_t *port)
{
    char text[128];
    uint64_t told;
    return rundir_read(dir, CONNECT, text, sizeof text) > 0 &&
           sscanf(text, "%" SCNu64 " %63s %" SCNu64, &told, address, port) == 3 && told == trial;
}

bool rundir_clear_connect(int dir)
{
    return unlinkat(dir, CONNECT, 0) == 0 || errno == ENOENT;
}
