#include "dirrecord.h"

#include "rundir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define RECORD "workdir"

bool dirrecord_write(int rundir, const struct dirrecord *record)
{
    char text[4400];
    int length = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n%s\n%s", record->dev,
                          record->ino, record->target_dev, record->target_ino, record->boot, record->name, record->path);
    return rundir_replace(rundir, RECORD, text, (size_t)length) && rundir_sync(rundir, RECORD);
}

bool dirrecord_read(int rundir, struct dirrecord *record)
{
    char text[4400];
    int at = 0;
    *record = (struct dirrecord){0};
    if (rundir_read(rundir, RECORD, text, sizeof text) < 0)
        return false;
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %39s\n%63[^\n]\n%n", &record->dev, &record->ino,
               &record->target_dev, &record->target_ino, record->boot, record->name, &at) != 6 || at == 0) {
        errno = ENOENT;
        return false;
    }
    snprintf(record->path, sizeof record->path, "%s", text + at);
    return true;
}

void dirrecord_remove(int rundir)
{
    unlinkat(rundir, RECORD, 0);
}
