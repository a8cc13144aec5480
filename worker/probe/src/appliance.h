/* Processes of Assay itself on this host: its API and workers, its database, queue and logs. What
 * they write to the disk that is measured is neither the trial's nor that of others. */
#ifndef ASSAY_APPLIANCE_H
#define ASSAY_APPLIANCE_H

#include "neighbors.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a process is of Assay and has its files on the target's disks: it, or the process that
 * started it, has a directory on them in ASSAY_APPLIANCE. Programs overwrite the environment with
 * their title, as PostgreSQL's do that it starts. A probe and what it starts are never of these. */
bool appliance_has(uint64_t pid, const struct neighbors *target);

#endif
