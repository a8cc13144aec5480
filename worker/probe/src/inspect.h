/* The parts of the inventory that `inspect` prints. */
#ifndef ASSAY_INSPECT_H
#define ASSAY_INSPECT_H

#include "json.h"
#include "mounts.h"

/* The array `filesystems`. */
void inspect_filesystems(struct text *text, const struct mounts *mounts);

/* The object `target`: properties of a directory, and whether O_DIRECT is effective there. */
void inspect_target(struct text *text, const struct mounts *mounts, const char *path);

#endif
