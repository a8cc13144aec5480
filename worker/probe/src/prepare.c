#include "prepare.h"

#include "clock.h"

#include <errno.h>
#include <unistd.h>

#define PREPARE_BLOCK (4ull << 20)

static bool is_in_time(const struct errand *errand, struct failure *failure)
{
    return errand->deadline_ns == 0 || clock_mono() < errand->deadline_ns ||
           fail(failure, "prepare_timeout", 0, false,
                "the preparation reached its time limit; raise the limit, or write fewer bytes before the trial");
}

bool prepare_content(struct workspace *workspace, const struct pattern *pattern, const struct content *content, uint64_t from,
                     int file, uint64_t bytes, struct failure *failure)
{
    char *data = buffers_scratch(&workspace->buffers, PREPARE_BLOCK);
    if (!data)
        return fail_errno(failure, errno, "buffers cannot be allocated");
    for (uint64_t at = 0; at < bytes;) {
        uint64_t size = bytes - at < PREPARE_BLOCK ? bytes - at : PREPARE_BLOCK;
        if (!limits_space(&workspace->limits, 0, failure) || !is_in_time(&workspace->errand, failure) ||
            !errand_calls(&workspace->errand, "pwrite"))
            return false;
        testdata_fill(pattern, content, from + at, data, size);
        ssize_t written = pwrite(file, data, size, (off_t)at);
        if (written < 0 && errno != EINTR)
            return fail_errno(failure, errno, "a test file cannot be prepared");
        atomic_fetch_add(&workspace->errand.bytes, written > 0 ? (uint64_t)written : 0);
        at += written > 0 ? (uint64_t)written : 0;
    }
    return true;
}

bool prepare_drop(struct attempt *attempt, int file, const char *doing)
{
    if (!errand_calls(&attempt->workspace->errand, "fsync"))
        return false;
    return residency_drop(file) || fail_errno(&attempt->failure, errno, doing);
}

bool prepare_reading(struct attempt *attempt, int file, uint64_t bytes)
{
    struct findings *findings = &attempt->findings;
    if (!prepare_drop(attempt, file, "a test file cannot be synced before reading") ||
        !errand_calls(&attempt->workspace->errand, "ioctl"))
        return false;
    enum extents found = residency_unwritten(file, bytes);
    if (found != EXTENTS_NONE)
        findings->unwritten = found;
    if (found == EXTENTS_FOUND)
        return fail(&attempt->failure, "unwritten_extents", 0, false,
                    "a test file has extents that were never written: reading them would not measure the device");
    residency_count(file, bytes, &findings->resident_checked, &findings->resident_pages);
    return true;
}

void prepare_overwriting(const struct attempt *attempt, uint64_t checked, uint64_t resident)
{
    struct spool *spool = attempt->workspace->spool;
    if (resident == 0)
        return;
    struct text *line = notice_begin(spool, "start_resident",
                                     "the file system kept files in memory that are now overwritten: trials do not "
                                     "start under equal conditions");
    json_uint(line, "trial", attempt->trial->position);
    json_uint(line, "resident_pages", resident);
    json_uint(line, "resident_checked", checked);
    event_end(spool);
}

static struct text *notice(struct spool *spool, const char *code, const char *message, uint64_t files, uint64_t bytes)
{
    struct text *line = notice_begin(spool, code, message);
    json_uint(line, "bytes", bytes);
    json_uint(line, "files", files);
    return line;
}

void prepare_begins(struct spool *spool, uint64_t files, uint64_t bytes)
{
    notice(spool, "preparing", "test files are written before the trials that use them; this is not measured", files, bytes);
    event_end(spool);
}

void prepare_ended(struct spool *spool, uint64_t files, uint64_t bytes, uint64_t began_ns)
{
    struct text *line =
        notice(spool, "prepared", "test files were written, synced and dropped from the page cache", files, bytes);
    json_uint(line, "ns", clock_mono() - began_ns);
    event_end(spool);
}
