/* The target as a run finds it: the open directory, its file system and device, and
 * whether that is still what the plan expects. */
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include "devcounter.h"
#include "failure.h"
#include "plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
    int dir;
    dev_t device_number;
    ino_t inode;
    char path[4096];
    char fs_type[64];
    char fs_source[4096];
    char fs_uuid[64];
    char device[64]; /* the top block device, or empty */
    struct devcounter counter;
    char kind[16];
};

/* Opens the plan's target and compares it with what the plan remembers of it. */
bool target_open(struct target *target, const struct plan_target *plan, struct failure *failure);

/* The path still leads to the directory that was opened: its mount has not gone. */
bool target_holds(const struct target *target, struct failure *failure);

#endif
