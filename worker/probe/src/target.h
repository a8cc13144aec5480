/* The target of a run: the open directory, its file system and device, and whether they still
 * match the plan. */
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

/* Memory instead of a directory. */
void target_none(struct target *target);

/* Opens the plan's target and compares it with the registered file system. */
bool target_open(struct target *target, const struct plan_target *plan, struct failure *failure);

/* Whether the path is still the directory that was opened, so that it was not unmounted. */
bool target_holds(const struct target *target, struct failure *failure);

#endif
