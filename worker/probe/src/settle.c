#include "settle.h"

#include "clock.h"
#include "host.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Freeing less than this takes no time that a trial of it would notice. */
#define WORTH_SETTLING (16ull << 20)
#define COMMIT_FILE "settle"
#define LOOK_NS (5 * NS_PER_MS)
#define QUIET_LOOKS 20
#define LIMIT_NS (2 * NS_PER_S)

/* Discards that the device has completed; false where it does not say. */
static bool discards(const struct run *run, uint64_t *count)
{
    char path[128], text[512];
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", run->target.device);
    return run->target.device[0] && host_read_file(path, text, sizeof text) > 0 &&
           sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, count) == 1;
}

/* Syncs a new file, which commits all that the file system's journal holds: the removal is not part
 * of the test directory where files had no name. */
static void commit(struct run *run)
{
    int file = errand_calls(run, "open") ? workdir_create(&run->workdir, COMMIT_FILE, 0) : -1;
    if (file < 0)
        return;
    if (errand_calls(run, "fsync"))
        fsync(file);
    workdir_discard(&run->workdir, file, COMMIT_FILE);
}

bool settle(struct run *run)
{
    uint64_t before = 0, now = 0, until = clock_mono() + LIMIT_NS;
    if (run->removed_bytes < WORTH_SETTLING)
        return true;
    run->removed_bytes = 0;
    bool told = discards(run, &before);
    commit(run); /* the file system discards what that freed */
    for (int quiet = 0; told && quiet < QUIET_LOOKS; before = now) {
        if (clock_mono() > until || atomic_load(&run->errand.ending))
            return false;
        clock_sleep(LOOK_NS);
        quiet = discards(run, &now) && now != before ? 0 : quiet + 1;
    }
    return true;
}
