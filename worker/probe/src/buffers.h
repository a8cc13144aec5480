/* The memory that trials write from and read into: one pool a lane, kept from trial to
 * trial. A pool holds random data, made before the trial's clock starts, as windows of a
 * block each; a block larger than the pool makes it one window. */
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
    uint64_t capacity;
    uint64_t filled; /* bytes of random data, from the start */
};

struct buffers {
    struct pool pools[LANES_MOST];
    uint64_t limit; /* bytes of all pools together */
};

struct windows {
    uint64_t stride, count;
    bool capped; /* the limit left less random data than the plan asked for */
};

/* Chooses the windows of a trial's lanes and makes their pools; fails with code `memory`. */
bool buffers_prepare(struct buffers *buffers, const struct trial *trial, uint64_t pool_bytes, struct windows *windows,
                     struct failure *failure);

/* At least `bytes` of random data outside any trial, NULL with errno; the next
 * buffers_prepare may use the same memory. */
char *buffers_random(struct buffers *buffers, uint64_t bytes);

void buffers_free(struct buffers *buffers);

#endif
