/* follow: print whole event lines from an offset on, until `end`. While it runs it extends the
 * watch deadline. Only the run lock shows whether the probe is alive. It exits when its reader
 * disconnects (the other end of the output is closed), when a higher generation was seen, after
 * `end`, when the lock is free and there is no `end`, or when the probe was killed but a thread
 * that is stuck in the kernel still holds the lock. */
#include "clock.h"
#include "rundir.h"
#include "spool.h"
#include "threads.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS 20
#define RENEW_NS (NS_PER_S / 2)
#define DYING_NS (5 * NS_PER_S) /* longer than a killed process takes to exit unless it is stuck */

struct follower {
    int rundir;
    int spool; /* -1 while there is none */
    uint64_t offset;
    uint64_t generation;
    uint64_t next_renewal;
    uint64_t alive_at; /* when the probe was last seen not to be dying */
    bool ended; /* the last line printed was an `end` */
    char buffer[1 << 18];
};

static bool write_out(const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, data, length);
        if (written < 0 && errno != EINTR)
            return false;
        data += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool is_end(const char *line, size_t length)
{
    /* {"v":1,"seq":N,"t":N,"ev":"end",… : our own writer put the fields in this order */
    char head[128];
    snprintf(head, sizeof head, "%.*s", (int)(length < sizeof head ? length : sizeof head - 1), line);
    return strstr(head, ",\"ev\":\"end\",") != NULL;
}

/* Prints the available whole lines: 1 if there were any, 0 if none, -1 with errno. */
static int print_lines(struct follower *follower)
{
    if (follower->spool < 0)
        follower->spool = openat(follower->rundir, SPOOL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (follower->spool < 0)
        return errno == ENOENT ? 0 : -1;
    ssize_t length = pread(follower->spool, follower->buffer, sizeof follower->buffer, (off_t)follower->offset);
    const char *last = length > 0 ? memrchr(follower->buffer, '\n', (size_t)length) : NULL;
    if (length < 0)
        return -1;
    if (!last) {
        errno = EOVERFLOW; /* a line is shorter than the buffer */
        return length == (ssize_t)sizeof follower->buffer ? -1 : 0;
    }
    size_t whole = (size_t)(last - follower->buffer) + 1;
    const char *before = whole > 1 ? memrchr(follower->buffer, '\n', whole - 1) : NULL;
    const char *line = before ? before + 1 : follower->buffer;
    follower->ended = is_end(line, (size_t)(last - line));
    if (!write_out(follower->buffer, whole))
        return -1;
    follower->offset += whole;
    return 1;
}

static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, LOOK_MS) > 0 && (output.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Renews the watch deadline while there is something to wait for: EXIT_OK, or the exit code to
 * return, after its message was written. */
static int stay_connected(struct follower *follower)
{
    uint64_t now = clock_mono();
    if (now < follower->next_renewal)
        return EXIT_OK;
    follower->next_renewal = now + RENEW_NS;
    if (rundir_generation(follower->rundir) > follower->generation)
        return complain(EXIT_FENCED, "generation %" PRIu64 " is now too low: another worker owns this run",
                        follower->generation);
    if (!threads_were_killed(rundir_pid(follower->rundir)))
        follower->alive_at = now;
    else if (now - follower->alive_at > DYING_NS)
        return complain(EXIT_STUCK, "the probe was killed, but one of its threads is stuck in the kernel");
    rundir_watch_renew(follower->rundir);
    return EXIT_OK;
}

static int follow(struct follower *follower)
{
    follower->alive_at = clock_mono();
    for (;;) {
        bool locked = rundir_locked(follower->rundir); /* checked before the last lines are read */
        int printed;
        while ((printed = print_lines(follower)) > 0)
            ;
        if (printed < 0 && errno == EPIPE)
            return EXIT_OK; /* the reader disconnected and would not receive an error */
        if (printed < 0)
            return complain(EXIT_SYSTEM, "the spool cannot be written to standard output: %s", strerror(errno));
        if (follower->ended)
            return EXIT_OK;
        if (!locked)
            return complain(EXIT_DEAD, "the probe is dead: its lock is free, but there is no `end` event");
        int connected = stay_connected(follower);
        if (connected != EXIT_OK)
            return connected;
        if (reader_is_gone())
            return EXIT_OK;
    }
}

/* Checks the offset. A worker that has read all of an ended run starts after its `end`; one that
 * has read more than there is has outlived a power failure of the host. */
static int look_back(struct follower *follower)
{
    struct spool_state state;
    bool locked = rundir_locked(follower->rundir);
    if (!spool_scan(follower->rundir, &state))
        return complain(EXIT_SYSTEM, "the spool cannot be read: %s", strerror(errno));
    follower->ended = state.whole_bytes == follower->offset && state.end_status[0];
    bool lost = follower->offset > state.whole_bytes;
    spool_state_free(&state);
    if (lost && locked)
        return complain(EXIT_SYSTEM, "offset %" PRIu64 " is past the end of the spool", follower->offset);
    if (lost)
        return complain(EXIT_DEAD, "the probe is dead, and its spool ends before offset %" PRIu64, follower->offset);
    return EXIT_OK;
}

int verb_follow(int count, char **arguments)
{
    static struct follower follower = {.spool = -1};
    if (count != 5 || strcmp(arguments[1], "--from") != 0 || !parse_count(arguments[2], &follower.offset) ||
        strcmp(arguments[3], "--generation") != 0 || !parse_count(arguments[4], &follower.generation))
        return complain(EXIT_USAGE, "usage: follow RUN_DIR --from OFFSET --generation G");
    signal(SIGPIPE, SIG_IGN);
    follower.rundir = rundir_open(arguments[0], false);
    if (follower.rundir < 0)
        return complain(errno == ENOENT || errno == ENOTDIR ? EXIT_NO_RUN : EXIT_SYSTEM,
                        "the run directory %s cannot be opened: %s", arguments[0], strerror(errno));
    int fence = pass_fence(follower.rundir, follower.generation);
    if (fence != EXIT_OK)
        return fence;
    int before = look_back(&follower);
    return before == EXIT_OK ? follow(&follower) : before;
}
