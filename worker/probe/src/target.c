#include "target.h"

#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_facts(struct target *target)
{
    struct mounts mounts;
    if (!mounts_read(&mounts))
        return;
    const struct mount *mount = mounts_of(&mounts, target->dir);
    if (mount) {
        snprintf(target->fs_type, sizeof target->fs_type, "%s", mount->type);
        snprintf(target->fs_source, sizeof target->fs_source, "%s", mount->source);
        snprintf(target->kind, sizeof target->kind, "%s", mount_kind(mount));
        mount_uuid(mount, target->dir, target->fs_uuid);
        mount_device(mount, target->device);
        devcounter_find(&target->counter, mount);
    }
    mounts_free(&mounts);
}

static bool matches(const char *what, const char *expected, const char *found, struct failure *failure)
{
    if (!expected || strcmp(expected, found) == 0)
        return true;
    return fail(failure, "target_changed", 0, true,
                "the target's file system has %s %.100s, but %.100s was registered; mount the registered one, or check the "
                "target again and approve it",
                what, found[0] ? found : "(none)", expected);
}

void target_none(struct target *target)
{
    *target = (struct target){.dir = -1};
    devcounter_none(&target->counter);
}

bool target_open(struct target *target, const struct plan_target *plan, struct failure *failure)
{
    struct stat found;
    *target = (struct target){.dir = open(plan->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    devcounter_none(&target->counter);
    snprintf(target->path, sizeof target->path, "%s", plan->path);
    if (target->dir < 0 || fstat(target->dir, &found) != 0)
        return fail_errno(failure, errno, "the target cannot be opened");
    target->device_number = found.st_dev;
    target->inode = found.st_ino;
    read_facts(target);
    return matches("type", plan->fs_type, target->fs_type, failure) &&
           matches("source", plan->fs_source, target->fs_source, failure) &&
           matches("UUID", plan->fs_uuid, target->fs_uuid, failure);
}

bool target_holds(const struct target *target, struct failure *failure)
{
    struct stat found;
    if (stat(target->path, &found) == 0 && found.st_dev == target->device_number && found.st_ino == target->inode)
        return true;
    return fail(failure, "target_changed", 0, true,
                "the target's path is no longer the directory that the run opened: it was unmounted or mounted "
                "over; mount it again");
}
