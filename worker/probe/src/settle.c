#include "settle.h"

#include "clock.h"
#include "errand.h"
#include "host.h"
#include "testdata.h"
#include "workdir.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Freeing less than this takes no measurable time. */
#define WORTH_SETTLING (16ull << 20)
#define COMMIT_FILE "settle"
#define LOOK_NS (5 * NS_PER_MS)
/* The device has settled if its count is unchanged for this long; shorter if it has discarded
 * everything. */
#define QUIET_LOOKS 20
#define QUIET_LOOKS_AFTER_ALL 2
#define LIMIT_NS (2 * NS_PER_S)

/* The bytes that the device has discarded; false if it does not report them. */
static bool discards(const char *device, uint64_t *bytes)
{
    char path[128], text[512];
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", device);
    if (!device[0] || host_read_file(path, text, sizeof text) <= 0 ||
        sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, bytes) != 1)
        return false;
    *bytes *= SECTOR;
    return true;
}

/* Syncs a new file, which commits the file system's journal: syncing the test directory would not
 * commit the removal of files without names. */
static void commit(const struct workdir *workdir, struct errand *errand)
{
    int file = errand_calls(errand, "open") ? workdir_create(workdir, COMMIT_FILE, 0) : -1;
    if (file < 0)
        return;
    if (errand_calls(errand, "fsync"))
        fsync(file);
    workdir_discard(workdir, file, COMMIT_FILE);
}

bool settle(struct settling *settling, const char *device, const struct workdir *workdir, struct errand *errand)
{
    uint64_t before = 0, now = 0, removed = settling->removed_bytes;
    if (removed < WORTH_SETTLING) {
        if (removed == 0)
            discards(device, &settling->discarded_bytes);
        return true;
    }
    bool told = discards(device, &before);
    commit(workdir, errand); /* the file system discards the freed blocks */
    uint64_t until = clock_mono() + LIMIT_NS;
    for (int quiet = 0, enough = QUIET_LOOKS; told && quiet < enough; before = now) {
        if (atomic_load(&errand->ending))
            return true; /* the run is ending */
        if (clock_mono() > until)
            return false; /* the next call waits for the rest */
        clock_sleep(LOOK_NS);
        if (!discards(device, &now))
            now = before;
        quiet = now == before ? quiet + 1 : 0;
        enough = now - settling->discarded_bytes >= removed ? QUIET_LOOKS_AFTER_ALL : QUIET_LOOKS;
    }
    settling->removed_bytes = 0;
    if (told)
        settling->discarded_bytes = now;
    return true;
}
