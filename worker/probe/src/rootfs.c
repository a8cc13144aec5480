#include "rootfs.h"

#include "host.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 8 /* an image on an overlay on an image, and so on */
#define MOST_RECEIVERS 64

/* The file systems that store what is written somewhere, outermost first. */
struct receivers {
    struct receiver {
        const struct mount *mount;
        char through[PATH_MAX]; /* the path that led here, empty for the directory itself */
    } list[MOST_RECEIVERS];
    size_t count;
    bool complete;
    char lost[PATH_MAX]; /* what could not be followed; empty if `complete` */
};

static void follow(const struct mounts *mounts, int descriptor, const char *through, struct receivers *found, int depth);

static void lose(struct receivers *found, const char *where)
{
    if (!found->complete)
        return;
    found->complete = false;
    snprintf(found->lost, sizeof found->lost, "%s", where);
}

static void follow_disks(const struct mounts *mounts, const struct disks *disks, struct receivers *found, int depth);

static void follow_path(const struct mounts *mounts, const char *path, struct receivers *found, int depth)
{
    int descriptor = path[0] == '/' ? open(path, O_PATH | O_CLOEXEC) : -1;
    struct stat node;
    struct disks disks = {0};
    char name[64];
    if (descriptor < 0 || fstat(descriptor, &node) != 0) {
        lose(found, path);
    } else if (S_ISDIR(node.st_mode) || S_ISREG(node.st_mode)) {
        follow(mounts, descriptor, path, found, depth);
    } else if (S_ISBLK(node.st_mode) && mounts_block_name(path, name)) {
        disks_below(name, &disks);
        follow_disks(mounts, &disks, found, depth);
    } else {
        lose(found, path);
    }
    if (descriptor >= 0)
        close(descriptor);
}

/* The source of a FUSE file system: a path, or the paths of a union. */
static void follow_sources(const struct mounts *mounts, const char *source, struct receivers *found, int depth)
{
    char *copy = strdup(source), *rest = copy;
    for (char *path; rest && (path = strsep(&rest, ":"));)
        follow_path(mounts, path, found, depth);
    if (!copy)
        lose(found, source);
    free(copy);
}

/* The upper directory of an overlay; one without takes no writes. */
static void follow_overlay(const struct mounts *mounts, const struct mount *mount, struct receivers *found, int depth)
{
    char *copy = strdup(mount->super_options), *rest = copy;
    if (!copy || strcmp(mount->type, "overlay") != 0)
        lose(found, mount->source);
    for (char *option; rest && (option = strsep(&rest, ","));)
        if (strncmp(option, "upperdir=", 9) == 0)
            follow_path(mounts, mounts_unescape(option + 9), found, depth);
    free(copy);
}

/* The images of the loop devices among the disks. */
static void follow_disks(const struct mounts *mounts, const struct disks *disks, struct receivers *found, int depth)
{
    for (size_t i = 0; i < disks->count; i++) {
        char attribute[128], image[PATH_MAX];
        if (strncmp(disks->list[i].name, "loop", 4) != 0)
            continue;
        snprintf(attribute, sizeof attribute, "/sys/class/block/%s/loop/backing_file", disks->list[i].name);
        if (host_read_file(attribute, image, sizeof image) > 0)
            follow_path(mounts, image, found, depth);
        else
            lose(found, disks->list[i].name);
    }
}

static void follow(const struct mounts *mounts, int descriptor, const char *through, struct receivers *found, int depth)
{
    const struct mount *mount = mounts_of(mounts, descriptor);
    if (!mount || depth == 0 || found->count == MOST_RECEIVERS) {
        lose(found, through);
        return;
    }
    found->list[found->count].mount = mount;
    snprintf(found->list[found->count++].through, PATH_MAX, "%s", through);
    const char *kind = mount_kind(mount);
    struct disks disks;
    if (strcmp(kind, "overlay") == 0) {
        follow_overlay(mounts, mount, found, depth - 1);
    } else if (strcmp(kind, "local") == 0 && strncmp(mount->type, "fuse", 4) == 0 && mount->major == 0) {
        follow_sources(mounts, mount->source, found, depth - 1);
    } else {
        mount_disks(mount, descriptor, &disks);
        if (strcmp(kind, "local") == 0 && mount->major == 0 && disks.count == 0)
            follow_path(mounts, mount->source, found, depth - 1); /* stacked on a directory, as eCryptfs */
        else
            follow_disks(mounts, &disks, found, depth - 1);
    }
}

static size_t pool_length(const struct mount *mount)
{
    return strcmp(mount->type, "zfs") == 0 ? strcspn(mount->source, "/") : 0;
}

static bool share_space(const struct mount *a, const struct mount *b)
{
    size_t pool = pool_length(a);
    if (pool > 0 && pool == pool_length(b) && strncmp(a->source, b->source, pool) == 0)
        return true;
    return a->major == b->major && a->minor == b->minor;
}

static struct receivers *receivers_of(const struct mounts *mounts, int descriptor)
{
    struct receivers *found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    found->complete = true;
    if (descriptor >= 0)
        follow(mounts, descriptor, "", found, DEEPEST);
    else
        lose(found, "");
    return found;
}

static const struct receiver *shared(const struct receivers *own, const struct receivers *root)
{
    for (size_t i = 0; i < own->count; i++)
        for (size_t j = 0; j < root->count; j++)
            if (share_space(own->list[i].mount, root->list[j].mount))
                return &own->list[i];
    return NULL;
}

void rootfs_fields(struct text *text, const struct mounts *mounts, int directory)
{
    int slash = open("/", O_PATH | O_CLOEXEC);
    struct receivers *own = receivers_of(mounts, directory), *root = receivers_of(mounts, slash);
    const struct receiver *common = own && root ? shared(own, root) : NULL;
    const char *through = common ? common->through : own && !own->complete ? own->lost : "";
    if (common || (own && own->complete))
        json_bool(text, "is_root_fs", common != NULL);
    else
        json_null(text, "is_root_fs");
    json_string(text, "root_fs_through", through[0] ? through : NULL);
    if (slash >= 0)
        close(slash);
    free(own);
    free(root);
}
