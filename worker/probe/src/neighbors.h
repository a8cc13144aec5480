/* The bytes on a target's physical disks that do not belong to its file system: of other
 * partitions, of other volumes on the same disks, and of programs that use the disk directly. They
 * slow the target down although its own device does not count them. */
#ifndef ASSAY_NEIGHBORS_H
#define ASSAY_NEIGHBORS_H

#include "blockdev.h"

#include <stddef.h>

#define NEIGHBOR_TERMS 256

/* The bytes are a sum of counters, some of them subtracted: of a disk and one partition, those of
 * the disk minus those of the partition. */
struct neighbors {
    bool known; /* all counters count */
    struct disks disks;
    struct device_names stack; /* the counted devices, and all below them, also those of loop files */
    struct neighbor_term {
        char name[64];
        int weight;
        int file; /* its statistics; -1 where not open */
    } terms[NEIGHBOR_TERMS];
    size_t count;
};

/* Finds the disks and the counters, from the devices that the target's counter adds up. */
void neighbors_find(struct neighbors *neighbors, const struct device_names *counted);

#endif
