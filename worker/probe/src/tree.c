#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 512 /* bytes of st_blocks */

/* A stream of the entries of an open directory, independent of its descriptor's position; NULL with
 * errno. */
static DIR *list(int directory)
{
    const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    if (again >= 0 && !entries)
        close(again);
    return entries;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_inside(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void walk(struct tree *tree, int directory, const char *path, dev_t device, int depth)
{
    char inner[PATH_MAX];
    struct stat found;
    DIR *entries = list(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (is_dots(entry->d_name) || fstatat(directory, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "/" : "", entry->d_name);
        if (S_ISDIR(found.st_mode) && depth < TREE_DEPTH && found.st_dev == device) {
            const int own = open_inside(directory, entry->d_name);
            if (own >= 0)
                walk(tree, own, inner, device, depth + 1);
            if (own >= 0)
                close(own);
            continue;
        }
        const bool regular = S_ISREG(found.st_mode);
        tree->files += regular;
        tree->others += !regular;
        tree->bytes += regular ? (uint64_t)found.st_size : 0;
        tree->allocated += regular ? (uint64_t)found.st_blocks * BLOCK : 0;
        if (tree->visit)
            tree->visit(tree, directory, entry->d_name, inner, &found);
    }
    if (entries)
        closedir(entries);
}

void tree_walk(struct tree *tree, int directory)
{
    struct stat found;
    tree->files = tree->bytes = tree->allocated = tree->others = 0;
    if (fstat(directory, &found) == 0)
        walk(tree, directory, "", found.st_dev, 0);
}

struct removal {
    void (*calls)(void *own, const char *call);
    void *own;
    uint64_t bytes;
    dev_t device;
};

static void say(const struct removal *removal, const char *call)
{
    if (removal->calls)
        removal->calls(removal->own, call);
}

/* Empties an open directory; false with errno if something remains. */
static bool empty(struct removal *removal, int directory, int depth)
{
    struct stat found;
    int error = 0;
    DIR *entries = list(directory);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (is_dots(entry->d_name) || fstatat(directory, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bool good = false;
        if (S_ISDIR(found.st_mode) && found.st_dev == removal->device && depth < TREE_DEPTH) {
            if ((found.st_mode & S_IRWXU) != S_IRWXU)
                fchmodat(directory, entry->d_name, S_IRWXU, 0);
            const int own = open_inside(directory, entry->d_name);
            good = own >= 0 && empty(removal, own, depth + 1);
            if (own >= 0)
                close(own);
            say(removal, "rmdir");
            good = good && unlinkat(directory, entry->d_name, AT_REMOVEDIR) == 0;
        } else if (!S_ISDIR(found.st_mode)) {
            say(removal, "unlink");
            good = unlinkat(directory, entry->d_name, 0) == 0;
            removal->bytes += good && S_ISREG(found.st_mode) ? (uint64_t)found.st_blocks * BLOCK : 0;
        } else {
            errno = ENOTEMPTY; /* another file system is mounted there, or it is too deep */
        }
        error = good ? error : errno;
    }
    closedir(entries);
    errno = error;
    return error == 0;
}

bool tree_remove(int parent, const char *name, void (*calls)(void *own, const char *call), void *own, uint64_t *bytes)
{
    struct removal removal = {.calls = calls, .own = own};
    struct stat found;
    const int directory = open_inside(parent, name);
    if (directory < 0)
        return errno == ENOENT;
    bool good = fstat(directory, &found) == 0;
    removal.device = good ? found.st_dev : 0;
    good = good && empty(&removal, directory, 0);
    const int reason = errno;
    close(directory);
    *bytes += removal.bytes;
    errno = reason;
    return good && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}
