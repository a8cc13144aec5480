#include "mounts.h"

#include "host.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Linux 6.9; our own copy, since older headers lack it. */
struct fs_uuid {
    uint8_t length;
    uint8_t bytes[16];
};
#define GET_FS_UUID _IOR(0x15, 0, struct fs_uuid)

static char *read_whole(const char *path)
{
    char place[PATH_MAX];
    FILE *stream = fopen(host_path(place, path), "re");
    char *text = NULL;
    size_t capacity = 0;
    if (!stream)
        return NULL;
    if (getdelim(&text, &capacity, '\0', stream) < 0) {
        free(text);
        text = NULL;
    }
    fclose(stream);
    return text;
}

char *mounts_unescape(char *field)
{
    char *out = field;
    for (char *in = field; *in; in++) {
        if (in[0] == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] && in[3]) {
            *out++ = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0'));
            in += 3;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return field;
}

static bool parse_line(char *line, struct mount *mount)
{
    /* id parent major:minor root point options [optional…] - type source super_options */
    char *before[6];
    for (size_t i = 0; i < 6; i++)
        if (!(before[i] = strsep(&line, " ")))
            return false;
    char *field;
    do {
        field = strsep(&line, " ");
    } while (field && strcmp(field, "-") != 0);
    if (!field || sscanf(before[2], "%u:%u", &mount->major, &mount->minor) != 2)
        return false;
    mount->id = atoi(before[0]);
    mount->root = mounts_unescape(before[3]);
    mount->point = mounts_unescape(before[4]);
    mount->options = before[5];
    mount->type = strsep(&line, " ");
    mount->source = line ? strsep(&line, " ") : NULL;
    mount->super_options = line;
    if (!mount->super_options)
        return false;
    mounts_unescape(mount->source);
    return true;
}

bool mounts_read(struct mounts *mounts)
{
    return mounts_read_of(mounts, "self");
}

bool mounts_read_of(struct mounts *mounts, const char *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/mountinfo", process);
    *mounts = (struct mounts){.text = read_whole(path)};
    if (!mounts->text)
        return false;
    size_t lines = 1;
    for (const char *c = mounts->text; *c; c++)
        lines += *c == '\n';
    mounts->list = calloc(lines, sizeof *mounts->list);
    char *rest = mounts->text;
    for (char *line; mounts->list && (line = strsep(&rest, "\n"));)
        if (parse_line(line, &mounts->list[mounts->count]))
            mounts->count++;
    return mounts->list != NULL;
}

void mounts_free(struct mounts *mounts)
{
    free(mounts->list);
    free(mounts->text);
    *mounts = (struct mounts){0};
}

const struct mount *mounts_above(const struct mounts *mounts, const char *path)
{
    const struct mount *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < mounts->count; i++) {
        const char *point = mounts->list[i].point;
        const size_t length = strcmp(point, "/") == 0 ? 0 : strlen(point);
        if (strncmp(path, point, length) != 0 || (path[length] != '/' && path[length] != '\0'))
            continue;
        if (length >= longest) { /* the last of several at one place hides the others */
            found = &mounts->list[i];
            longest = length;
        }
    }
    return found;
}

const struct mount *mounts_of(const struct mounts *mounts, int descriptor)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
    char *text = read_whole(path);
    const char *found = text ? strstr(text, "mnt_id:") : NULL;
    int id = found ? atoi(found + 7) : -1;
    free(text);
    for (size_t i = 0; i < mounts->count; i++)
        if (mounts->list[i].id == id)
            return &mounts->list[i];
    return NULL;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

const char *mount_kind(const struct mount *mount)
{
    static const char *const network[] = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "fuse.sshfs",
                                          "fuse.s3fs", "fuse.rclone", "virtiofs", NULL};
    static const char *const parallel[] = {"lustre", "gpfs", "ceph", "fuse.ceph", "fuse.glusterfs", "beegfs", "orangefs",
                                           "pvfs2", "panfs", "wekafs", "gfs2", "ocfs2", NULL};
    static const char *const memory[] = {"tmpfs", "ramfs", NULL};
    static const char *const overlay[] = {"overlay", "aufs", "fuse.fuse-overlayfs", NULL};
    if (is_one_of(mount->type, network))
        return "network";
    if (is_one_of(mount->type, parallel))
        return "parallel";
    if (is_one_of(mount->type, memory))
        return "memory";
    if (is_one_of(mount->type, overlay))
        return "overlay";
    return strcmp(mount->type, "zfs") == 0 ? "zfs" : "local";
}

bool mount_holds_data(const struct mount *mount)
{
    static const char *const pseudo[] = {
        "proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "debugfs", "tracefs", "configfs",
        "fusectl", "pstore", "efivarfs", "bpf", "mqueue", "hugetlbfs", "autofs", "binfmt_misc", "rpc_pipefs", "nsfs",
        "selinuxfs", "squashfs", "iso9660", "ramfs", "fuse.lxcfs", "fuse.gvfsd-fuse", "fuse.portal", NULL};
    if (is_one_of(mount->type, pseudo))
        return false;
    if (strcmp(mount->type, "tmpfs") == 0)
        return strcmp(mount->point, "/dev/shm") == 0 || strcmp(mount->point, "/tmp") == 0;
    return true;
}

void mount_options(struct text *text, const struct mount *mount)
{
    struct text joined = {0};
    const char *more = mount->super_options;
    if (strncmp(more, mount->options, 2) == 0 && (more[2] == ',' || more[2] == '\0'))
        more += more[2] ? 3 : 2; /* rw or ro, written once if both are the same */
    text_format(&joined, "%s%s%s", mount->options, *more ? "," : "", more);
    json_string(text, "options", joined.data);
    text_free(&joined);
}

static bool uuid_from_links(const char *device, char *uuid)
{
    DIR *links = opendir("/dev/disk/by-uuid");
    bool found = false;
    if (!links)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(links));) {
        char goal[PATH_MAX];
        ssize_t length = readlinkat(dirfd(links), entry->d_name, goal, sizeof goal - 1);
        if (length <= 0)
            continue;
        goal[length] = '\0';
        const char *name = strrchr(goal, '/');
        found = strcmp(name ? name + 1 : goal, device) == 0;
        if (found)
            snprintf(uuid, 64, "%.63s", entry->d_name);
    }
    closedir(links);
    return found;
}

void mount_uuid(const struct mount *mount, int descriptor, char *uuid)
{
    struct fs_uuid own = {0};
    struct statfs fs;
    char device[64];
    uuid[0] = '\0';
    static const uint8_t none[16]; /* a file system without a UUID reports zeros */
    if (ioctl(descriptor, GET_FS_UUID, &own) == 0 && own.length == 16 && memcmp(own.bytes, none, 16) != 0) {
        for (size_t i = 0, at = 0; i < 16; i++)
            at += (size_t)sprintf(uuid + at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", own.bytes[i]);
        return;
    }
    mount_device(mount, device);
    if (device[0] && uuid_from_links(device, uuid))
        return;
    uint32_t id[2] = {0, 0};
    if (fstatfs(descriptor, &fs) == 0)
        memcpy(id, &fs.f_fsid, sizeof id);
    if (id[0] || id[1])
        snprintf(uuid, 64, "fsid:%08" PRIx32 "%08" PRIx32, id[0], id[1]);
}

bool mounts_block_name(const char *path, char *name)
{
    struct stat node;
    name[0] = '\0';
    if (stat(path, &node) == 0)
        return S_ISBLK(node.st_mode) && blockdev_numbered(major(node.st_rdev), minor(node.st_rdev), name);
    /* a mount namespace may lack the device node of the mount */
    char attributes[PATH_MAX], place[PATH_MAX];
    const char *last = strrchr(path, '/');
    snprintf(attributes, sizeof attributes, "/sys/class/block/%.63s", last ? last + 1 : path);
    if (access(host_path(place, attributes), F_OK) != 0)
        return false;
    snprintf(name, 64, "%.63s", last ? last + 1 : path);
    return true;
}

void mount_device(const struct mount *mount, char *name)
{
    name[0] = '\0';
    if (mount->major != 0)
        blockdev_numbered(mount->major, mount->minor, name);
    else if (mount->source[0] == '/') /* btrfs has an anonymous device number: its source names the device */
        mounts_block_name(mount->source, name);
}

static void add_btrfs_members(const char *uuid, struct disks *disks)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/sys/fs/btrfs/%s/devices", uuid);
    DIR *members = opendir(path);
    for (struct dirent *entry; members && (entry = readdir(members));)
        if (entry->d_name[0] != '.')
            disks_below(entry->d_name, disks);
    if (members)
        closedir(members);
}

void mount_disks(const struct mount *mount, int descriptor, struct disks *disks)
{
    char device[64], uuid[64];
    *disks = (struct disks){0};
    if (strcmp(mount->type, "btrfs") == 0) {
        mount_uuid(mount, descriptor, uuid);
        add_btrfs_members(uuid, disks);
    }
    mount_device(mount, device);
    disks_below(device, disks);
}
