#include "blockdev.h"
#include "inspect.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 2000

struct answer {
    bool is_directory;
    int64_t size_bytes, free_bytes;
    char uuid[64];
};

static struct answer ask(const struct mount *mount)
{
    struct answer answer = {.size_bytes = -1, .free_bytes = -1};
    struct statvfs fs;
    struct stat found;
    int dir = open(mount->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    answer.is_directory = dir >= 0 || (stat(mount->point, &found) == 0 && S_ISDIR(found.st_mode));
    if (dir >= 0 && fstatvfs(dir, &fs) == 0) {
        answer.size_bytes = (int64_t)(fs.f_blocks * fs.f_frsize);
        answer.free_bytes = (int64_t)(fs.f_bavail * fs.f_frsize);
        mount_uuid(mount, dir, answer.uuid);
    }
    if (dir >= 0)
        close(dir);
    return answer;
}

/* A call into a dead network file system hangs and cannot be interrupted by a signal, so a child
 * process makes it and is abandoned if it does not return. A thread would prevent this process
 * from exiting. The caller waits until no process has the output open. */
static bool ask_patiently(const struct mount *mount, struct answer *answer)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        for (int stream = 0; stream < 3; stream++)
            close(stream);
        *answer = ask(mount);
        _exit(write(ends[1], answer, sizeof *answer) != sizeof *answer);
    }
    close(ends[1]);
    struct pollfd said = {.fd = ends[0], .events = POLLIN};
    bool answered = child > 0 && poll(&said, 1, PATIENCE_MS) == 1 && read(ends[0], answer, sizeof *answer) == sizeof *answer;
    close(ends[0]);
    if (child > 0 && !answered)
        kill(child, SIGKILL); /* it exits at once, or when the kernel releases it */
    if (child > 0)
        waitpid(child, NULL, answered ? 0 : WNOHANG);
    return answered;
}

static void filesystem(struct text *text, const struct mount *mount, const struct answer *answer)
{
    char device[64];
    mount_device(mount, device);
    json_open(text, NULL, '{');
    json_string(text, "mount", mount->point);
    json_string(text, "source", mount->source);
    json_string(text, "type", mount->type);
    json_string(text, "kind", mount_kind(mount));
    mount_options(text, mount);
    json_known(text, "size_bytes", answer ? answer->size_bytes : -1);
    json_known(text, "free_bytes", answer ? answer->free_bytes : -1);
    json_string(text, "uuid", answer && answer->uuid[0] ? answer->uuid : NULL);
    json_string(text, "device", device[0] ? device : NULL);
    blockdev_model(text, device);
    blockdev_size(text, "device_bytes", device);
    json_close(text, '}');
}

/* A mount below another one is unreachable; the last mount on a point is the visible one. */
static bool is_covered(const struct mounts *mounts, size_t index)
{
    for (size_t i = index + 1; i < mounts->count; i++)
        if (strcmp(mounts->list[i].point, mounts->list[index].point) == 0)
            return true;
    return false;
}

void inspect_filesystems(struct text *text, const struct mounts *mounts)
{
    json_open(text, "filesystems", '[');
    for (size_t i = 0; i < mounts->count; i++) {
        const struct mount *mount = &mounts->list[i];
        if (!mount_holds_data(mount) || is_covered(mounts, i))
            continue;
        struct answer answer;
        bool answered = ask_patiently(mount, &answer);
        if (!answered || answer.is_directory) /* containers bind-mount single files */
            filesystem(text, mount, answered ? &answer : NULL);
    }
    json_close(text, ']');
}
