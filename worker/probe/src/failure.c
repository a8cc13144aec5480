#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct cause {
    int error;
    const char *name;
    const char *code;
    bool ends_run;
    const char *remedy;
} causes[] = {
    {ENOSPC, "ENOSPC", "no_space", false, "free space on the target or make the files smaller"},
    {EDQUOT, "EDQUOT", "quota", false, "raise the quota of the probe's user or make the files smaller"},
    {EIO, "EIO", "io", false, "check the device's and the kernel's log"},
    {EROFS, "EROFS", "read_only", true, "mount the target writable"},
    {ESTALE, "ESTALE", "stale", true, "mount the network file system again"},
    {EACCES, "EACCES", "not_writable", true, "let the probe's user write in the target"},
    {EPERM, "EPERM", "not_writable", true, "let the probe's user write in the target"},
    {ENOENT, "ENOENT", "target_changed", true, "check that the target is mounted and exists"},
    {ENOTDIR, "ENOTDIR", "target_changed", true, "check that the target is a directory"},
    {ENOMEM, "ENOMEM", "memory", false, "use smaller blocks or fewer threads"},
    {EAGAIN, "EAGAIN", "system", false, "raise the limit of processes of the probe's user"},
    {EINVAL, "EINVAL", "system", false, "the file system does not support this operation"},
    {EOPNOTSUPP, "EOPNOTSUPP", "system", false, "the file system does not support this operation; choose another layout"},
    {EFBIG, "EFBIG", "file_too_large", false, "make the file smaller, or raise the limit of file sizes of the probe's user (ulimit -f)"},
    {EINTR, "EINTR", "system", false, "try again"},
    {EMFILE, "EMFILE", "system", false, "raise the limit of open files"},
    {ENFILE, "ENFILE", "system", false, "raise the system's limit of open files"},
    {ENXIO, "ENXIO", "system", false, "check the device's and the kernel's log"},
    {ENODEV, "ENODEV", "system", false, "check the device's and the kernel's log"},
    {ETIMEDOUT, "ETIMEDOUT", "io", false, "check the network file system's server"},
    {EEXIST, "EEXIST", "system", false, "try again"},
    {ENAMETOOLONG, "ENAMETOOLONG", "system", false, "use a shorter path"},
};

static const struct cause *find_cause(int error)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].error == error)
            return &causes[i];
    return NULL;
}

/* "ENOSPC" for ENOSPC; a number if there is no name. */
static const char *errno_name(int error)
{
    static _Thread_local char number[16];
    const struct cause *cause = find_cause(error);
    if (cause)
        return cause->name;
    snprintf(number, sizeof number, "E%d", error);
    return number;
}

bool fail(struct failure *failure, const char *code, int error, bool ends_run, const char *format, ...)
{
    va_list arguments;
    failure->code = code;
    failure->error = error;
    failure->ends_run = ends_run;
    va_start(arguments, format);
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
    va_end(arguments);
    return false;
}

bool fail_errno(struct failure *failure, int error, const char *doing)
{
    const struct cause *cause = find_cause(error);
    return fail(failure, cause ? cause->code : "system", error, cause && cause->ends_run, "%s: %s; %s", doing,
                strerror(error), cause ? cause->remedy : "check the kernel's log");
}

bool fail_direct(struct failure *failure, int error)
{
    return fail(failure, "direct_refused", error, false, "the file system does not support O_DIRECT; use cache=page");
}

void failure_event(struct spool *spool, const struct failure *failure, int64_t trial)
{
    struct text *line = event_begin(spool, "error");
    json_string(line, "code", failure->code);
    json_string(line, "message", failure->message);
    json_string(line, "errno", failure->error ? errno_name(failure->error) : NULL);
    json_known(line, "trial", trial);
    event_end(spool);
}
