#include "locks.h"

#include "clock.h"
#include "mounts.h"
#include "rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static void path_of(int descriptor, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
}

/* The directory is the same for every user, regardless of write permission. */
static int common_directory(void)
{
    static const char *const candidates[] = {"/run/lock", "/tmp"};
    struct stat found;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        int dir = open(candidates[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (dir >= 0 && fstat(dir, &found) == 0 && (found.st_mode & S_ISVTX) && (found.st_mode & S_IWOTH))
            return dir;
        if (dir >= 0)
            close(dir);
    }
    errno = ENOENT;
    return -1;
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct refusal *refusal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->message, sizeof refusal->message, format, arguments);
    va_end(arguments);
    return false;
}

/* The locked object as seen from here: the directory itself, or only its disk. */
static bool say_held(struct refusal *refusal, const char *what, const char *target, const struct holder *other)
{
    char since[32] = "";
    time_t seconds = (time_t)other->since;
    struct tm utc;
    size_t length = strlen(target);
    bool same = strncmp(other->workdir, target, length) == 0 && strchr("/", other->workdir[length]) != NULL &&
                strchr(other->workdir + length + (other->workdir[length] == '/'), '/') == NULL;
    const char *held = same ? "this target" : what;
    if (other->pid == 0 && other->workdir[0])
        return refuse(refusal, "another test holds %s, in %.240s", held, other->workdir);
    if (other->pid == 0)
        return refuse(refusal, "another process holds %s; its lock does not identify it", held);
    if (gmtime_r(&seconds, &utc))
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return refuse(refusal,
                "another test holds %s: run %s on host %s, process %" PRIu64 ", since %s, in %.240s", held, other->run,
                other->host, other->pid, since, other->workdir);
}

static void note_missing(struct locks *locks, const char *what)
{
    if (!locks->missing[0])
        snprintf(locks->missing, sizeof locks->missing, "%s could not be locked: %s", what, strerror(errno));
}

/* False when another run holds it. */
static bool take_file(struct locks *locks, int dir, const char *name, bool across_hosts, const char *what, const char *target,
                      struct refusal *refusal)
{
    static struct holder other;
    enum lock_outcome outcome = dir < 0 || locks->count == LOCKS_MOST
                                    ? LOCK_UNAVAILABLE
                                    : lockfile_take(&locks->held[locks->count], dir, name, &locks->own, across_hosts, &other);
    if (outcome == LOCK_HELD)
        return say_held(refusal, what, target, &other);
    if (outcome == LOCK_UNAVAILABLE)
        note_missing(locks, what);
    else
        locks->shared |= locks->held[locks->count++].shared;
    return true;
}

static bool take_disks(struct locks *locks, const struct mount *mount, int target, const char *path, struct refusal *refusal)
{
    struct disks disks = {0};
    char name[64], what[160];
    struct stat found;
    if (mount)
        mount_disks(mount, target, &disks);
    int dir = common_directory();
    bool good = true;
    for (size_t i = 0; good && i < disks.count; i++) {
        const struct disk *disk = &disks.list[i];
        snprintf(name, sizeof name, "assay-disk-%u:%u.lock", disk->major, disk->minor);
        snprintf(what, sizeof what, "the disk %s below this target", disk->name);
        good = take_file(locks, dir, name, false, what, path, refusal);
    }
    if (disks.count == 0 && fstat(target, &found) == 0) {
        snprintf(name, sizeof name, "assay-fs-%u:%u.lock", major(found.st_dev), minor(found.st_dev));
        good = take_file(locks, dir, name, false, "this target's file system", path, refusal);
    }
    if (dir >= 0)
        close(dir);
    return good;
}

/* flock does not identify its holder, but its test directory does. */
static bool say_flocked(int target, const char *path, struct refusal *refusal)
{
    static struct holder other;
    int listing = openat(target, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = listing >= 0 ? fdopendir(listing) : NULL;
    other = (struct holder){0};
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strncmp(entry->d_name, ".assay-", 7) == 0)
            snprintf(other.workdir, sizeof other.workdir, "%s/%s", path, entry->d_name);
    if (entries)
        closedir(entries);
    return say_held(refusal, "this target", path, &other);
}

static bool take_lock_file(struct locks *locks, int rundir, int target, const char *path, bool across_hosts,
                           struct refusal *refusal)
{
    size_t before = locks->count;
    if (!rundir_replace(rundir, LOCK_NOTE, path, strlen(path))) {
        note_missing(locks, "this target");
        return true;
    }
    bool good = take_file(locks, target, LOCK_NAME, across_hosts, "this target", path, refusal);
    if (locks->count == before)
        unlinkat(rundir, LOCK_NOTE, 0);
    return good;
}

static bool take_directory(struct locks *locks, const struct mount *mount, int rundir, int target, const char *path,
                           struct refusal *refusal)
{
    const char *kind = mount ? mount_kind(mount) : "local";
    if (strcmp(kind, "network") == 0 || strcmp(kind, "parallel") == 0)
        return take_lock_file(locks, rundir, target, path, true, refusal);
    if (flock(target, LOCK_EX | LOCK_NB) == 0)
        locks->dir = dup(target);
    else if (errno == EWOULDBLOCK)
        return locks->shared || say_flocked(target, path, refusal);
    else
        return take_lock_file(locks, rundir, target, path, false, refusal);
    return true;
}

bool locks_take(struct locks *locks, int rundir, const struct plan *plan, struct refusal *refusal)
{
    struct mounts mounts;
    const char *path = plan->target_count ? plan->targets[0].path : NULL;
    int target = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    *locks = (struct locks){.dir = -1};
    if (target < 0)
        return true;
    struct holder *own = &locks->own;
    holder_identify(own);
    snprintf(own->run, sizeof own->run, "%s", plan->run);
    snprintf(own->group, sizeof own->group, "%s", plan->group ? plan->group : plan->run);
    path_of(rundir, own->rundir, sizeof own->rundir);
    snprintf(own->workdir, sizeof own->workdir, "%s", path);
    bool known = mounts_read(&mounts);
    const struct mount *mount = known ? mounts_of(&mounts, target) : NULL;
    bool good = take_disks(locks, mount, target, path, refusal) &&
                take_directory(locks, mount, rundir, target, path, refusal);
    if (known)
        mounts_free(&mounts);
    close(target);
    if (!good)
        locks_release(locks, rundir);
    return good;
}

static void *touch_forever(void *argument)
{
    const struct lockfile *lock = argument;
    for (;;) {
        lockfile_touch(lock);
        clock_sleep(LOCKFILE_BEAT_S * NS_PER_S);
    }
    return NULL;
}

void locks_adopt(struct locks *locks, const char *workdir)
{
    uint64_t since = locks->own.since;
    holder_identify(&locks->own);
    locks->own.since = since;
    size_t length = strlen(locks->own.workdir);
    if (workdir)
        snprintf(locks->own.workdir + length, sizeof locks->own.workdir - length, "/%s", workdir);
    for (size_t i = 0; i < locks->count; i++) {
        pthread_t thread;
        lockfile_describe(&locks->held[i], &locks->own);
        /* a separate thread, because touching hangs if the file system hangs */
        if (locks->held[i].touched && pthread_create(&thread, NULL, touch_forever, &locks->held[i]) == 0)
            pthread_detach(thread);
    }
}

void locks_release(struct locks *locks, int rundir)
{
    bool removed = true;
    while (locks->count > 0)
        removed = lockfile_release(&locks->held[--locks->count]) && removed;
    if (removed)
        unlinkat(rundir, LOCK_NOTE, 0);
    if (locks->dir >= 0) {
        flock(locks->dir, LOCK_UN); /* the process that started this one may still have it open */
        close(locks->dir);
    }
    locks->dir = -1;
}

bool locks_sweep(int rundir)
{
    char path[4096], own[4096];
    if (rundir_read(rundir, LOCK_NOTE, path, sizeof path) < 0)
        return errno == ENOENT;
    path_of(rundir, own, sizeof own);
    int target = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target < 0)
        return false;
    bool good = lockfile_remove_dead(target, LOCK_NAME, own) && unlinkat(rundir, LOCK_NOTE, 0) == 0;
    close(target);
    return good;
}
