#include "attempt.h"

#include "clock.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#define TELL_ERRORS_NS (5 * NS_PER_S)

struct text *attempt_event(const struct attempt *attempt, const char *ev)
{
    struct text *line = event_begin(attempt->workspace->spool, ev);
    json_uint(line, "trial", attempt->trial->position);
    json_uint(line, "attempt", attempt->trial->attempt);
    return line;
}

void attempt_settle(struct attempt *attempt)
{
    struct workspace *workspace = attempt->workspace;
    if (settle(&workspace->settling, workspace->target.device, &workspace->workdir, &workspace->errand))
        return;
    struct text *line = notice_begin(workspace->spool, "not_settled",
                                     "the device was still discarding files of an earlier trial when this trial began");
    json_uint(line, "trial", attempt->trial->position);
    event_end(workspace->spool);
}

bool attempt_direct_fits(struct attempt *attempt, uint64_t block)
{
    const struct workspace *workspace = attempt->workspace;
    if (workspace->alignment == 0)
        return fail_direct(&attempt->failure, workspace->alignment_error);
    if (block % workspace->alignment == 0)
        return true;
    return fail(&attempt->failure, "misaligned", 0, false,
                "block=%" PRIu64 " is not a multiple of %" PRIu32 ", the alignment that O_DIRECT needs here; use a multiple of it",
                block, workspace->alignment);
}

void attempt_explain(struct attempt *attempt, int error, bool direct, uint64_t block)
{
    if (error == EINVAL && direct)
        fail(&attempt->failure, "misaligned", EINVAL, false,
             "block=%" PRIu64 " is rejected by the file system with O_DIRECT; use a multiple of the alignment that it needs",
             block);
    else
        fail_errno(&attempt->failure, error,
                   attempt->mixed    ? "writing or reading failed"
                   : attempt->writes ? "writing failed"
                                     : "reading failed");
}

bool attempt_buffers(struct attempt *attempt, const struct demand *demand, struct windows *windows)
{
    struct workspace *workspace = attempt->workspace;
    if (!buffers_prepare(&workspace->buffers, demand, windows, &attempt->failure))
        return false;
    if (windows->capped) {
        struct text *line = notice_begin(workspace->spool, "buffers_capped",
                                         "the buffer limit leaves each thread less memory than it should have");
        json_uint(line, "trial", attempt->trial->position);
        json_uint(line, "bytes", windows->count * windows->stride);
        event_end(workspace->spool);
    }
    return true;
}

bool attempt_looks(struct attempt *attempt, uint64_t moved, bool over)
{
    if (attempt->looked || (!over && moved < RESIDENCY_BYTES))
        return false;
    attempt->looked = true;
    return true;
}

void attempt_look(struct attempt *attempt, int file, uint64_t moved, bool over)
{
    uint64_t checked = 0, pages = 0;
    struct stat found;
    if (fstat(file, &found) != 0 || !attempt_looks(attempt, moved, over))
        return;
    uint64_t size = (uint64_t)found.st_size;
    size = size < moved ? size : moved; /* the rest of an allocated file is in no cache anyway */
    if (residency_count(file, size < RESIDENCY_BYTES ? size : RESIDENCY_BYTES, &checked, &pages))
        attempt_found(attempt, checked, pages);
}

void attempt_found(struct attempt *attempt, uint64_t checked, uint64_t pages)
{
    struct findings *findings = &attempt->findings;
    *(attempt->writes ? &findings->resident_checked : &findings->resident_after_checked) = checked;
    *(attempt->writes ? &findings->resident_pages : &findings->resident_after_pages) = pages;
    if (pages * 10 <= checked)
        return;
    struct text *line = notice_begin(attempt->workspace->spool, "direct_buffered",
                                     "the file system accepted O_DIRECT, but the data is in the page cache: this "
                                     "trial did not bypass it");
    json_uint(line, "trial", attempt->trial->position);
    json_uint(line, "resident_pages", pages);
    json_uint(line, "resident_checked", checked);
    event_end(attempt->workspace->spool);
}

void attempt_tell_errors(struct attempt *attempt, const struct verification *found, bool over)
{
    const uint64_t errors = verification_errors(found), now = clock_mono();
    const bool due = attempt->told_errors == 0 || now - attempt->told_errors_ns >= TELL_ERRORS_NS;
    if (errors == attempt->told_errors || !(over || due))
        return;
    struct text *line = notice_begin(attempt->workspace->spool, "verification_failed",
                                     "the storage returned data that differs from the written data");
    json_uint(line, "trial", attempt->trial->position);
    json_uint(line, "attempt", attempt->trial->attempt);
    json_uint(line, "corrupt", found->corrupt);
    json_uint(line, "stale", found->stale);
    json_uint(line, "misplaced", found->misplaced);
    json_uint(line, "first_offset_bytes", found->first);
    if (attempt->reads_back)
        json_bool(line, "read_back", true);
    event_end(attempt->workspace->spool);
    attempt->told_errors = errors;
    attempt->told_errors_ns = now;
}
