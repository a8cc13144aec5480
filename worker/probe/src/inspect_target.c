#include "blockdev.h"
#include "counters.h"
#include "inspect.h"
#include "residency.h"
#include "rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define TRIED_BYTES (4u << 20)

struct problem {
    const char *code;
    const char *message;
};

struct finding {
    struct stat found;
    struct problem problem;
    bool exists, other_fs, writable;
    const char *direct; /* real, buffered, refused or unprovable */
    uint32_t alignment;
};

/* Whether a symbolic link on the path leads into another file system. */
static bool crosses_by_link(const char *path)
{
    char prefix[PATH_MAX];
    struct stat link, goal;
    size_t length = strlen(path);
    for (size_t at = 1; at <= length && at < sizeof prefix; at++) {
        if (path[at] != '/' && path[at] != '\0')
            continue;
        memcpy(prefix, path, at);
        prefix[at] = '\0';
        if (lstat(prefix, &link) == 0 && S_ISLNK(link.st_mode) && stat(prefix, &goal) == 0 && goal.st_dev != link.st_dev)
            return true;
    }
    return false;
}

/* Writes a small file with O_DIRECT in a new directory and looks for it in the page cache. If the
 * file system has a cache of its own, the result is unknown. */
static const char *try_direct(int dir, const char *kind, uint32_t *alignment)
{
    *alignment = residency_alignment(dir);
    if (*alignment == 0)
        return "refused";
    if (strcmp(kind, "zfs") == 0 || strcmp(kind, "parallel") == 0)
        return "unprovable";
    void *buffer = NULL;
    uint64_t checked = 0, resident = 0;
    const char *answer = "unprovable";
    int file = openat(dir, "direct", O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0 && posix_memalign(&buffer, 1 << 16, TRIED_BYTES) == 0) {
        memset(buffer, 0xa5, TRIED_BYTES);
        if (pwrite(file, buffer, TRIED_BYTES, 0) == (ssize_t)TRIED_BYTES &&
            residency_count(file, TRIED_BYTES, &checked, &resident))
            answer = resident * 10 > checked ? "buffered" : "real";
    }
    free(buffer);
    if (file >= 0)
        close(file);
    unlinkat(dir, "direct", 0);
    return answer;
}

static void try_writing(int target, const char *kind, struct finding *finding)
{
    char name[64];
    uint64_t random = 0;
    while (getrandom(&random, sizeof random, 0) != sizeof random)
        ;
    snprintf(name, sizeof name, ".assay-inspect-%016" PRIx64, random);
    if (mkdirat(target, name, 0700) != 0) {
        finding->problem = errno == EROFS
                               ? (struct problem){"read_only", "the file system is mounted read-only; mount it writable"}
                               : (struct problem){"not_writable", "the login user cannot write here; grant write permission"};
        return;
    }
    finding->writable = true;
    int dir = openat(target, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0) {
        finding->direct = try_direct(dir, kind, &finding->alignment);
        close(dir);
    }
    unlinkat(target, name, AT_REMOVEDIR);
}

static void find_problem(const char *path, struct finding *finding)
{
    finding->exists = stat(path, &finding->found) == 0;
    mode_t mode = finding->exists ? finding->found.st_mode : 0;
    finding->other_fs = crosses_by_link(path);
    if (path[0] != '/')
        finding->problem = (struct problem){"missing", "the path is not absolute; start it with a slash"};
    else if (!finding->exists && errno == EACCES)
        finding->problem = (struct problem){"not_writable", "the login user has no access to this path; grant search permission"};
    else if (!finding->exists)
        finding->problem = (struct problem){"missing", "the path does not exist; create the directory or correct the path"};
    else if (S_ISBLK(mode))
        finding->problem = (struct problem){"block_device", "this is a block device; choose a directory on its file system"};
    else if (!S_ISDIR(mode))
        finding->problem = (struct problem){"not_directory", "this is not a directory; choose a directory"};
    else if (finding->other_fs)
        finding->problem = (struct problem){"symlink_other_fs", "a symbolic link on the path leads into another file system; "
                                                                "use the path that it leads to"};
}

static void place(struct text *text, const struct mount *mount, int dir)
{
    char device[64] = "", uuid[64] = "";
    struct statvfs fs;
    bool known = dir >= 0 && fstatvfs(dir, &fs) == 0;
    struct disks disks = {0};
    if (mount) {
        mount_disks(mount, dir, &disks);
        mount_device(mount, device);
        mount_uuid(mount, dir, uuid);
    }
    json_string(text, "mount", mount ? mount->point : NULL);
    json_string(text, "source", mount ? mount->source : NULL);
    json_string(text, "type", mount ? mount->type : NULL);
    json_string(text, "uuid", uuid[0] ? uuid : NULL);
    if (mount)
        mount_options(text, mount);
    else
        json_null(text, "options");
    json_string(text, "kind", mount ? mount_kind(mount) : NULL);
    json_string(text, "device", device[0] ? device : NULL);
    json_known(text, "free_bytes", known ? (int64_t)(fs.f_bavail * fs.f_frsize) : -1);
    json_known(text, "size_bytes", known ? (int64_t)(fs.f_blocks * fs.f_frsize) : -1);
    /* without a table of inodes (btrfs) there is no number */
    json_known(text, "free_inodes", known && fs.f_files > 0 ? (int64_t)fs.f_favail : -1);
    blockdev_model(text, device);
    blockdev_size(text, "device_bytes", device);
    blockdev_queue(text, device);
    disks_list(text, &disks);
}

void inspect_target(struct text *text, const struct mounts *mounts, const char *path)
{
    struct finding finding = {0};
    char real[PATH_MAX];
    find_problem(path, &finding);
    bool is_directory = finding.exists && S_ISDIR(finding.found.st_mode);
    int dir = is_directory ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const struct mount *mount = dir >= 0 ? mounts_of(mounts, dir) : NULL;
    if (is_directory && dir < 0)
        finding.problem = (struct problem){"not_writable", "the login user cannot open this directory; grant read permission"};
    if (dir >= 0 && !finding.problem.code)
        try_writing(dir, mount ? mount_kind(mount) : "local", &finding);
    json_open(text, "target", '{');
    json_string(text, "path", path);
    json_string(text, "real_path", realpath(path, real));
    json_bool(text, "exists", finding.exists);
    json_bool(text, "is_directory", is_directory);
    json_bool(text, "is_symlink_into_other_fs", finding.other_fs);
    json_bool(text, "is_block_device", finding.exists && S_ISBLK(finding.found.st_mode));
    json_bool(text, "writable", finding.writable);
    rootfs_fields(text, mounts, dir);
    place(text, mount, dir);
    json_string(text, "direct", finding.direct);
    json_known(text, "alignment_bytes", finding.alignment ? (int64_t)finding.alignment : -1);
    if (finding.problem.code) {
        json_open(text, "problem", '{');
        json_string(text, "code", finding.problem.code);
        json_string(text, "message", finding.problem.message);
        json_close(text, '}');
    } else {
        json_null(text, "problem");
    }
    json_close(text, '}');
    if (dir >= 0)
        close(dir);
}
