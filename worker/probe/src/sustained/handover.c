#include "sustained/handover.h"

#include "rundir.h"
#include "sustained/manifest.h"
#include "sustained/readback.h"

#include <stdio.h>

#define LOOK_NS (100 * NS_PER_MS)

struct wait {
    struct attempt *attempt;
    char report[VERIFIED_MOST];
};

static bool await_report(void *argument)
{
    struct wait *wait = argument;
    struct workspace *workspace = wait->attempt->workspace;
    const struct trial *trial = wait->attempt->trial;
    errand_does(&workspace->errand, "handed_over", 0);
    while (!rundir_find_verified(workspace->limits.rundir, trial->position, trial->attempt, wait->report)) {
        if (!errand_calls(&workspace->errand, "nanosleep"))
            return false;
        clock_sleep(LOOK_NS);
    }
    return true;
}

void handover_run(struct attempt *attempt, const struct pattern *pattern, struct verified *verified)
{
    static struct wait wait; /* static, because there is one trial at a time */
    char error[200];
    struct text manifest = {0};
    wait = (struct wait){.attempt = attempt};
    readback_count(attempt);
    manifest_write(&manifest, attempt, pattern);
    text_append(&manifest, "", 1);
    struct text *line = attempt_event(attempt, "written");
    json_string(line, "manifest", manifest.data);
    event_end(attempt->workspace->spool);
    text_free(&manifest);
    if (errand_run(&attempt->workspace->errand, ERRAND_PREPARING, 0, await_report, &wait) &&
        !report_parse(wait.report, verified, error, sizeof error))
        snprintf(verified->why, sizeof verified->why, "the report is broken: %s", error);
    readback_tell(attempt, verified);
}
