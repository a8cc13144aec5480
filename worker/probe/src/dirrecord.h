/* The record of a run's test directory, in its run directory. It says which directory a later process
 * may remove, and where it is. */
#ifndef ASSAY_DIRRECORD_H
#define ASSAY_DIRRECORD_H

#include <stdbool.h>
#include <stdint.h>

/* Device and inode of the test directory (0 0 until it is created) and of the target, and the boot for
 * which the device numbers are valid. */
struct dirrecord {
    uint64_t dev, ino, target_dev, target_ino;
    char boot[40];
    char name[64];
    char path[4000]; /* of the target */
};

/* Also syncs it, so that the directory is found again after a power failure; false with errno. */
bool dirrecord_write(int rundir, const struct dirrecord *record);

/* False with errno: ENOENT also for an empty record. */
bool dirrecord_read(int rundir, struct dirrecord *record);

void dirrecord_remove(int rundir);

#endif
