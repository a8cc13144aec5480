/* sweep: find the runs of a directory whose probe is dead and remove their files from their
 * targets. Spools are kept, except one that is named with --forget. */
#include "locks.h"
#include "orders.h"
#include "rundir.h"
#include "verbs.h"
#include "workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report {
    struct text removed, kept, failed;
};

static void note_failure(struct report *report, const char *name, const char *workdir, const char *reason)
{
    json_open(&report->failed, NULL, '{');
    json_string(&report->failed, "run_dir", name);
    json_string(&report->failed, "workdir", workdir);
    json_string(&report->failed, "reason", reason);
    json_close(&report->failed, '}');
}

static void note_removal(struct report *report, const char *name, const struct swept *swept)
{
    json_open(&report->removed, NULL, '{');
    json_string(&report->removed, "run_dir", name);
    json_string(&report->removed, "workdir", swept->path);
    json_uint(&report->removed, "bytes", swept->bytes);
    json_close(&report->removed, '}');
}

/* A file of a run directory other than its lock, or a temporary file of an interrupted
 * rundir_replace. */
static bool is_own(const char *entry)
{
    static const char *const files[] = {"events.ndjson", "generation", "watch", "stop", "release", "verified", "connect", ORDERS_NAME, "ssh_config", "known_hosts",
                                        "workdir", "files", LOCK_NOTE};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t length = strlen(files[i]);
        if (strcmp(entry, files[i]) == 0 ||
            (entry[0] == '.' && strncmp(entry + 1, files[i], length) == 0 && entry[length + 1] == '.'))
            return true;
    }
    return false;
}

/* Removes the run directory, unless it contains files of other programs. */
static bool forget(int root, const char *name, int rundir)
{
    int listing = dup(rundir);
    DIR *entries = listing < 0 ? NULL : fdopendir(listing);
    bool good = entries != NULL;
    for (struct dirent *entry; good && (entry = readdir(entries));)
        if (is_own(entry->d_name))
            good = unlinkat(rundir, entry->d_name, 0) == 0;
    int reason = errno;
    if (entries)
        closedir(entries);
    errno = reason;
    /* the lock last: it identifies the directory for the next sweep */
    return good && unlinkat(rundir, "lock", 0) == 0 && unlinkat(root, name, AT_REMOVEDIR) == 0;
}

static void sweep_run(struct report *report, int root, const char *name, bool forgets)
{
    static struct swept swept;
    int rundir = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (rundir < 0) {
        if (errno != ENOTDIR && errno != ELOOP && errno != ENOENT)
            note_failure(report, name, NULL, strerror(errno));
        return;
    }
    /* a directory named with --forget may have no lock */
    bool is_run = forgets || faccessat(rundir, "lock", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    int lock = is_run ? rundir_lock(rundir) : -1;
    if (is_run && lock < 0 && errno == EAGAIN) {
        json_string(&report->kept, NULL, name); /* it is running */
    } else if (is_run && lock < 0) {
        note_failure(report, name, NULL, strerror(errno));
    } else if (is_run) {
        enum leftover leftover = workdir_sweep(rundir, &swept);
        if (leftover == LEFTOVER_FAILED)
            note_failure(report, name, swept.path, swept.reason);
        else if (leftover == LEFTOVER_REMOVED)
            note_removal(report, name, &swept);
        else if (!forgets)
            json_string(&report->kept, NULL, name);
        if (forgets && leftover != LEFTOVER_FAILED && !forget(root, name, rundir))
            note_failure(report, name, NULL, strerror(errno));
        close(lock);
    }
    close(rundir);
}

static void print_list(struct text *text, const char *name, struct text *list)
{
    json_open(text, name, '[');
    text_append(text, list->data ? list->data : "", list->length);
    json_close(text, ']');
    text_free(list);
}

int verb_sweep(int count, char **arguments)
{
    struct report report = {0};
    struct text text = {0};
    if ((count != 1 && count != 3) || (count == 3 && strcmp(arguments[1], "--forget") != 0))
        return complain(EXIT_USAGE, "usage: sweep RUNS_ROOT [--forget NAME]");
    const char *forgotten = count == 3 ? arguments[2] : NULL;
    int root = rundir_open(arguments[0], false);
    if (root < 0 && errno != ENOENT)
        return complain(EXIT_NO_RUN, "%s cannot be opened: %s", arguments[0], strerror(errno));
    DIR *runs = root < 0 ? NULL : fdopendir(root); /* no directory yet: nothing to sweep */
    if (root >= 0 && !runs)
        return complain(EXIT_SYSTEM, "%s cannot be listed: %s", arguments[0], strerror(errno));
    errno = 0; /* readdir reports an error only by errno */
    for (struct dirent *entry; runs && (entry = readdir(runs)); errno = 0)
        if (entry->d_name[0] != '.')
            sweep_run(&report, root, entry->d_name, forgotten && strcmp(entry->d_name, forgotten) == 0);
    if (runs && errno != 0)
        return complain(EXIT_SYSTEM, "%s cannot be listed: %s", arguments[0], strerror(errno));
    if (runs)
        closedir(runs);
    json_open(&text, NULL, '{');
    print_list(&text, "removed", &report.removed);
    print_list(&text, "kept", &report.kept);
    print_list(&text, "failed", &report.failed);
    json_close(&text, '}');
    return print_document(&text);
}
