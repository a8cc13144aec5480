/* The memory that trials write from and read into: windows of a block each for every lane. It is
 * mapped anew for each trial and touched first by the lane that uses it, so that every trial
 * begins alike and its pages lie on that lane's NUMA node. */
#ifndef ASSAY_BUFFERS_H
#define ASSAY_BUFFERS_H

#include "failure.h"
#include "plan.h"

#include <stdbool.h>
#include <stdint.h>

#define LANES_MOST 256

struct pool {
    char *data;      /* aligned to 2 MiB where it is that large, else to a page */
    void *mapped;
    uint64_t mapped_bytes;
};

struct buffers {
    struct pool pools[LANES_MOST];
    uint64_t limit; /* bytes of all pools together */
};

struct windows {
    uint64_t stride, count;
    bool threaded; /* lanes have data threads */
    bool capped;   /* the limit left fewer windows than there should be */
};

/* Chooses the windows of a trial's lanes and maps them; fails with code `memory`. What an earlier
 * trial had is unmapped. */
bool buffers_prepare(struct buffers *buffers, const struct trial *trial, struct windows *windows,
                     struct failure *failure);

/* At least `bytes` outside any trial, NULL with errno; valid until buffers_prepare or buffers_free. */
char *buffers_scratch(struct buffers *buffers, uint64_t bytes);

void buffers_free(struct buffers *buffers);

#endif
