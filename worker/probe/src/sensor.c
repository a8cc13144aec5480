#include "sensor.h"

#include "clock.h"
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS (5 * NS_PER_S)

struct reading {
    int error;
    char text[SENSOR_TEXT];
};

/* Closes the run's files: its locks must end with the run, even if this process hangs. */
static void close_others(int kept)
{
#ifdef SYS_close_range
    if ((kept == 0 || syscall(SYS_close_range, 0, kept - 1, 0) == 0) && syscall(SYS_close_range, kept + 1, ~0u, 0) == 0)
        return;
#endif
    struct rlimit files = {.rlim_cur = 1024};
    getrlimit(RLIMIT_NOFILE, &files);
    for (int file = 0; (rlim_t)file < files.rlim_cur; file++)
        if (file != kept)
            close(file);
}

_Noreturn static void read_for_parent(const char *path, int pipe)
{
    struct reading reading = {0};
    close_others(pipe);
    errno = 0;
    if (host_read_file(path, reading.text, sizeof reading.text) <= 0)
        reading.error = errno ? errno : ENODATA;
    _exit(write(pipe, &reading, sizeof reading) != sizeof reading);
}

/* Waits for the process's answer; false with errno. */
static bool await(struct errand *errand, int pipe, struct reading *reading)
{
    const uint64_t until = clock_mono() + PATIENCE_NS;
    struct pollfd said = {.fd = pipe, .events = POLLIN};
    while (poll(&said, 1, CHECK_NS / NS_PER_MS) <= 0) {
        errno = atomic_load(&errand->ending) ? ECANCELED : ETIMEDOUT;
        if (errno == ECANCELED || clock_mono() >= until)
            return false;
        errand_clears(errand, "read"); /* this thread does not hang */
    }
    if (read(pipe, reading, sizeof *reading) != sizeof *reading)
        reading->error = EIO;
    errno = reading->error;
    return reading->error == 0;
}

bool sensor_read(struct errand *errand, const char *path, char text[SENSOR_TEXT])
{
    struct reading reading = {0};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0)
        read_for_parent(path, ends[1]);
    int error = errno;
    close(ends[1]);
    if (child > 0) {
        error = await(errand, ends[0], &reading) ? 0 : errno;
        if (error == ETIMEDOUT || error == ECANCELED)
            kill(child, SIGKILL);
        waitpid(child, NULL, error == ETIMEDOUT || error == ECANCELED ? WNOHANG : 0);
    }
    close(ends[0]);
    memcpy(text, reading.text, sizeof reading.text);
    errno = error;
    return error == 0;
}
