#include "threads.h"

#include "host.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PROGRAM "assay-probe"
#define CALLING "assay:" /* and the call's name: the kernel keeps 15 bytes */
#define STATE 3
#define PENDING 31 /* signals pending for this thread; SIGKILL is sent to each thread */

void thread_calls(const char *call)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", CALLING, call);
    prctl(PR_SET_NAME, call ? name : PROGRAM);
}

/* Keeps the first call that is found; true, which ends the search, if it waits in the kernel. */
static bool makes_call(const char *stat, void *found)
{
    char *call = found;
    const char *name = strchr(stat, '('), *end = strrchr(stat, ')'), *state = host_stat_field(stat, STATE);
    if (!name || !end || strncmp(name + 1, CALLING, strlen(CALLING)) != 0)
        return false;
    name += 1 + strlen(CALLING);
    bool waits = state && *state == 'D';
    if (waits || !call[0])
        snprintf(call, CALL_NAME, "%.*s", (int)(end - name), name);
    return waits;
}

static bool was_killed(const char *stat, void *unused)
{
    (void)unused;
    const char *pending = host_stat_field(stat, PENDING);
    return pending && strtoul(pending, NULL, 10) & 1ul << (SIGKILL - 1);
}

static bool any_thread(pid_t pid, bool (*is_so)(const char *stat, void *data), void *data)
{
    char path[320], text[1024];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = pid > 0 ? opendir(path) : NULL;
    bool found = false;
    if (!tasks)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(tasks));) {
        snprintf(path, sizeof path, "%s/stat", entry->d_name);
        int stat = entry->d_name[0] == '.' ? -1 : openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
        ssize_t length = stat < 0 ? -1 : read(stat, text, sizeof text - 1);
        if (stat >= 0)
            close(stat);
        text[length > 0 ? length : 0] = '\0';
        found = is_so(text, data);
    }
    closedir(tasks);
    return found;
}

bool threads_call(pid_t pid, char call[CALL_NAME])
{
    call[0] = '\0';
    any_thread(pid, makes_call, call);
    return call[0] != '\0';
}

bool threads_were_killed(pid_t pid)
{
    return any_thread(pid, was_killed, NULL);
}
