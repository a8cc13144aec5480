#include "blockdev.h"
#include "clock.h"
#include "inspect.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PATIENCE_NS (2 * NS_PER_S)

/* A dead network file system hangs whoever asks it: a thread asks, and is left behind when
 * it does not answer. It owns its question, so nothing is shared after that. */
struct question {
    const struct mount *mount;
    bool is_directory;
    int64_t size_bytes, free_bytes;
    char uuid[64];
};

static void *ask(void *argument)
{
    struct question *question = argument;
    struct statvfs fs;
    struct stat found;
    int dir = open(question->mount->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    question->is_directory = dir >= 0 || (stat(question->mount->point, &found) == 0 && S_ISDIR(found.st_mode));
    if (dir >= 0 && fstatvfs(dir, &fs) == 0) {
        question->size_bytes = (int64_t)(fs.f_blocks * fs.f_frsize);
        question->free_bytes = (int64_t)(fs.f_bavail * fs.f_frsize);
        mount_uuid(question->mount, dir, question->uuid);
    }
    if (dir >= 0)
        close(dir);
    return NULL;
}

static bool ask_patiently(struct question *question)
{
    pthread_t thread;
    struct timespec until = clock_timespec(clock_read(CLOCK_REALTIME) + PATIENCE_NS);
    if (pthread_create(&thread, NULL, ask, question) != 0)
        return false;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0)
        return true;
    pthread_detach(thread);
    return false;
}

static void filesystem(struct text *text, const struct mount *mount, const struct question *question)
{
    char device[64];
    mount_device(mount, device);
    json_open(text, NULL, '{');
    json_string(text, "mount", mount->point);
    json_string(text, "source", mount->source);
    json_string(text, "type", mount->type);
    json_string(text, "kind", mount_kind(mount));
    mount_options(text, mount);
    json_known(text, "size_bytes", question ? question->size_bytes : -1);
    json_known(text, "free_bytes", question ? question->free_bytes : -1);
    json_string(text, "uuid", question && question->uuid[0] ? question->uuid : NULL);
    json_string(text, "device", device[0] ? device : NULL);
    blockdev_model(text, device);
    blockdev_size(text, "device_bytes", device);
    json_close(text, '}');
}

/* What is mounted over is out of reach; the last mount on a point is the one seen. */
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
        struct question *question = calloc(1, sizeof *question);
        if (!question)
            continue;
        *question = (struct question){.mount = mount, .size_bytes = -1, .free_bytes = -1};
        bool answered = ask_patiently(question);
        if (!answered || question->is_directory) /* containers bind single files */
            filesystem(text, mount, answered ? question : NULL);
        if (answered)
            free(question);
    }
    json_close(text, ']');
}
