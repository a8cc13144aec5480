#include "command.h"

#include "clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK_NAME "ASSAY_RUN_DIR="
#define SHOWN 300 /* bytes of a complaint in a failure's message */
#define LOOK_NS (20 * NS_PER_MS)
#define KILL_NS (5 * NS_PER_S)
#define ENVIRONMENT_MOST (256u << 10)
#define DRAIN_MOST (1u << 20) /* bytes of output that one look reads */

extern char **environ;

static bool make_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* The environment with the mark. The array is the caller's, the strings are not. */
static char **marked(char *mark)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **found = calloc(count + 2, sizeof *found);
    if (!found)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], MARK_NAME, strlen(MARK_NAME)) != 0)
            found[used++] = environ[i];
    found[used] = mark;
    return found;
}

/* The session is its own, signals are as in a login, and no descriptor of the probe is inherited. */
static int spawn(struct command *command, const char *text, const char *directory, int output, int errors, char **environment)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char *const arguments[] = {"sh", "-c", (char *)(uintptr_t)text, NULL};
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&files, directory);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawn(&command->pid, "/bin/sh", &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

bool command_start(struct command *command, const char *name, const char *text, const char *directory, const char *mark,
                   struct failure *failure)
{
    int output[2] = {-1, -1}, errors[2] = {-1, -1};
    char entry[4200];
    snprintf(entry, sizeof entry, MARK_NAME "%s", mark);
    const char *awaited = command->awaited;
    *command = (struct command){.name = name, .output = -1, .errors = -1, .awaited = awaited};
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans become children of the probe; see `is_descendant` */
    char **environment = marked(entry);
    int error = environment && make_pipe(output) && make_pipe(errors) ? 0 : errno;
    command->started_ns = clock_mono();
    if (error == 0)
        error = spawn(command, text, directory, output[1], errors[1], environment);
    free(environment);
    for (int i = 0; i < 2; i++)
        if ((i == 1 || error) && output[i] >= 0)
            close(output[i]);
    for (int i = 0; i < 2; i++)
        if ((i == 1 || error) && errors[i] >= 0)
            close(errors[i]);
    if (error) {
        command->pid = 0;
        return fail(failure, "tool_failed", error, false, "%s cannot be started: %s", name, strerror(error));
    }
    command->output = output[0];
    command->errors = errors[0];
    command->running = true;
    return true;
}

static void keep(struct tail *tail, const char *data, size_t length)
{
    if (length > OUTPUT_MOST) {
        data += length - OUTPUT_MOST;
        length = OUTPUT_MOST;
    }
    const size_t excess = tail->length + length > OUTPUT_MOST ? tail->length + length - OUTPUT_MOST : 0;
    memmove(tail->text, tail->text + excess, tail->length - excess);
    memcpy(tail->text + tail->length - excess, data, length);
    tail->length += length - excess;
    tail->text[tail->length] = '\0';
}

/* Reads what is there, up to a limit, because a program may write faster than it is read and never
 * stop; closes the pipe at its end. */
static void drain(struct command *command, int *pipe, struct tail *tail)
{
    char chunk[4096];
    ssize_t got;
    size_t total = 0;
    while (*pipe >= 0 && (got = read(*pipe, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || (total += (size_t)got) > DRAIN_MOST)
            return;
        for (ssize_t i = 0; i < got; i++) /* a NUL would end the text */
            chunk[i] = chunk[i] ? chunk[i] : ' ';
        keep(tail, chunk, (size_t)got);
        command->seen |= command->awaited && strstr(tail->text, command->awaited);
    }
    if (*pipe >= 0) {
        close(*pipe);
        *pipe = -1;
    }
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* Whether a child is an orphan that the probe inherited. Its own children share its session; the thread
 * that forked one waits for it. */
static bool is_orphan(const struct command *command, pid_t child)
{
    return child != command->pid && getsid(child) != getsid(0);
}

static void reap_children_of(const struct command *command, const char *thread)
{
    char path[64];
    long child;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *list = fopen(path, "re");
    while (list && fscanf(list, "%ld", &child) == 1)
        if (is_orphan(command, (pid_t)child))
            waitpid((pid_t)child, NULL, WNOHANG);
    if (list)
        fclose(list);
}

/* Reaps orphans that have ended. waitid() names the first ended child alone: if that is one of the
 * probe's own, such as an abandoned reader of a sensor, the kernel's lists show those behind it. */
static void reap_orphans(const struct command *command)
{
    siginfo_t ended = {0};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid > 0) {
        if (!is_orphan(command, ended.si_pid))
            break;
        waitpid(ended.si_pid, NULL, WNOHANG);
        ended.si_pid = 0;
    }
    DIR *threads = ended.si_pid > 0 ? opendir("/proc/self/task") : NULL;
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            reap_children_of(command, entry->d_name);
    if (threads)
        closedir(threads);
}

static void reap(struct command *command)
{
    struct rusage used;
    reap_orphans(command);
    if (!command->running || wait4(command->pid, &command->status, WNOHANG, &used) != command->pid)
        return;
    command->running = false;
    command->ended_ns = clock_mono();
    command->cpu_ns = nanoseconds(&used.ru_utime) + nanoseconds(&used.ru_stime);
}

void command_look(struct command *command, int wait_ms)
{
    struct pollfd pipes[] = {{command->output, POLLIN, 0}, {command->errors, POLLIN, 0}};
    if (!command->pid)
        return;
    reap(command);
    if (command->running && (command->output >= 0 || command->errors >= 0))
        poll(pipes, 2, wait_ms);
    else if (command->running)
        clock_sleep((uint64_t)wait_ms * NS_PER_MS);
    drain(command, &command->output, &command->said);
    drain(command, &command->errors, &command->complained);
    reap(command);
}

bool command_good(const struct command *command)
{
    return command->pid && !command->running && !command->limited && WIFEXITED(command->status) &&
           WEXITSTATUS(command->status) == 0;
}

/* The last lines of what it printed, without control characters. */
static void shown(const struct tail *tail, char text[SHOWN + 1])
{
    const size_t skipped = tail->length > SHOWN ? tail->length - SHOWN : 0;
    size_t length = 0;
    for (const char *c = tail->text + skipped; *c; c++)
        text[length++] = iscntrl((unsigned char)*c) ? ' ' : *c;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

bool command_fail(const struct command *command, const char *code, struct failure *failure)
{
    char said[SHOWN + 1];
    shown(command->complained.length ? &command->complained : &command->said, said);
    const char *what = said[0] ? said : "it printed nothing";
    if (command->limited)
        return fail(failure, code, ETIMEDOUT, false, "%s did not end within its time limit and was ended: %s", command->name, what);
    if (command->running)
        return fail(failure, code, 0, false, "%s was not ready in time: %s", command->name, what);
    if (WIFSIGNALED(command->status))
        return fail(failure, code, 0, false, "%s was ended by signal %d: %s", command->name, WTERMSIG(command->status), what);
    return fail(failure, code, 0, false, "%s ended with exit code %d: %s", command->name, WEXITSTATUS(command->status), what);
}

void command_field(struct text *line, const struct command *command)
{
    if (!command->pid) {
        json_null(line, "command");
        return;
    }
    const bool exited = !command->running && WIFEXITED(command->status);
    const bool killed = !command->running && WIFSIGNALED(command->status);
    json_open(line, "command", '{');
    json_known(line, "exit_code", exited ? WEXITSTATUS(command->status) : -1);
    json_known(line, "signal", killed ? WTERMSIG(command->status) : -1);
    json_uint(line, "ns", (command->running ? clock_mono() : command->ended_ns) - command->started_ns);
    json_uint(line, "cpu_ns", command->cpu_ns);
    json_string(line, "output", command->said.text);
    json_string(line, "errors", command->complained.text);
    json_close(line, '}');
}

void command_close(struct command *command)
{
    int *const pipes[] = {&command->output, &command->errors};
    for (int i = 0; command->pid && i < 2; i++)
        if (*pipes[i] >= 0) {
            close(*pipes[i]);
            *pipes[i] = -1;
        }
}

/* Whether a process has the mark in its environment. */
static bool has_mark(int proc, pid_t pid, const char *mark, char *environment)
{
    char name[32];
    snprintf(name, sizeof name, "%ld/environ", (long)pid);
    const int file = openat(proc, name, O_RDONLY | O_CLOEXEC);
    ssize_t length = 0, got = 0;
    if (file < 0)
        return false;
    while (length < (ssize_t)ENVIRONMENT_MOST && (got = read(file, environment + length, ENVIRONMENT_MOST - (size_t)length)) > 0)
        length += got;
    close(file);
    environment[length] = '\0';
    for (const char *at = environment; at < environment + length; at += strlen(at) + 1)
        if (strncmp(at, MARK_NAME, strlen(MARK_NAME)) == 0 && strcmp(at + strlen(MARK_NAME), mark) == 0)
            return true;
    return false;
}

/* The parent of a process; 0 if it has ended. */
static pid_t living_parent(int proc, pid_t pid)
{
    char name[32], text[512], state = 'Z';
    int parent = 0;
    snprintf(name, sizeof name, "%ld/stat", (long)pid);
    const int file = openat(proc, name, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *after = strrchr(text, ')'); /* the name before it may contain anything */
    if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2 || state == 'Z' || state == 'X')
        return 0;
    return parent;
}

/* Whether a command of this process started it, even if it has emptied its environment and become a
 * daemon. Commands are in sessions of their own; other children of the probe are in its session. */
static bool is_descendant(int proc, pid_t pid)
{
    if (getsid(pid) == getsid(0))
        return false;
    for (pid_t parent = living_parent(proc, pid); parent > 1; parent = living_parent(proc, parent))
        if (parent == getpid())
            return true;
    return false;
}

/* Signals all processes of the commands with a mark but the calling one; returns how many there are. */
static size_t signal_marked(const char *mark, int number)
{
    size_t found = 0;
    DIR *proc = opendir("/proc");
    char *environment = malloc(ENVIRONMENT_MOST + 1);
    for (struct dirent *entry; proc && environment && (entry = readdir(proc));) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid() ||
            (!has_mark(dirfd(proc), pid, mark, environment) && !is_descendant(dirfd(proc), pid)))
            continue;
        found++;
        kill(pid, number);
    }
    free(environment);
    if (proc)
        closedir(proc);
    return found;
}

bool command_sweep(const char *mark)
{
    for (const uint64_t until = clock_mono() + KILL_NS; signal_marked(mark, SIGKILL) > 0;) {
        if (clock_mono() >= until)
            return false;
        clock_sleep(LOOK_NS);
    }
    return true;
}

void command_end(struct command *command, const char *mark, uint64_t patience_ms)
{
    if (!command->pid)
        return;
    if (patience_ms) {
        size_t left = signal_marked(mark, SIGTERM); /* also a daemon whose shell has ended */
        for (const uint64_t until = clock_mono() + patience_ms * NS_PER_MS; left > 0 && clock_mono() < until;)
            if (command->running) {
                command_look(command, 10);
            } else {
                clock_sleep(LOOK_NS);
                left = signal_marked(mark, 0);
            }
    }
    command_sweep(mark);
    for (const uint64_t until = clock_mono() + KILL_NS; command->running && clock_mono() < until;)
        command_look(command, 10);
}
