/* The memory that trials write from and read into: windows of one block each for every thread. It
 * is mapped again for each trial and touched first by the thread that uses it, so that every
 * trial starts under equal conditions, with its pages on that thread's NUMA node. */
#ifndef ASSAY_BUFFERS_H
#define ASSAY_BUFFERS_H

#include "failure.h"

#include <stdbool.h>
#include <stdint.h>

#define BUFFERS_MOST 256

struct mapping {
    char *data;      /* aligned to 2 MiB if it is that large, else to a page */
    void *mapped;
    uint64_t mapped_bytes;
};

struct buffers {
    struct mapping mappings[BUFFERS_MOST];
    uint64_t limit; /* total bytes */
};

/* What a trial needs. */
struct demand {
    uint64_t block, threads;
    uint64_t blocks; /* maximum per thread */
    uint64_t ahead;  /* blocks of a thread whose data is to be ready at once; 0 for no wish */
    uint64_t depth;  /* blocks of a thread that are in flight, and the next one; 0 if it has one at a time */
    bool reads;
};

struct windows {
    uint64_t stride, count;
    bool threaded; /* I/O threads have data threads */
    bool capped;   /* the limit allows fewer windows than there should be */
};

/* Chooses the windows of a trial's threads and maps them; fails with code `memory`. The memory of
 * an earlier trial is unmapped. */
bool buffers_prepare(struct buffers *buffers, const struct demand *demand, struct windows *windows,
                     struct failure *failure);

/* At least `bytes` outside any trial, NULL with errno; valid until buffers_prepare or buffers_free. */
char *buffers_scratch(struct buffers *buffers, uint64_t bytes);

void buffers_free(struct buffers *buffers);

#endif
