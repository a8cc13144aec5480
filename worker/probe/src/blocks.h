/* A lane's blocks: where the next one lies, the memory it takes, and its data.
 *
 * Data is made before a write and verified after a read, never inside the timed call. A lane
 * does it between its calls. Where blocks are large and the lane has its file to itself, a data
 * thread does it in other windows of memory while the lane waits in the kernel. A file that
 * lanes share has no data threads: blocks must be dealt out when they are written. */
#ifndef ASSAY_BLOCKS_H
#define ASSAY_BLOCKS_H

#include "testdata.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LINE 64
#define FILE_NAME 48
#define WINDOWS_MOST 64
/* Below this making a block's data takes less than waking a thread. */
#define DATA_THREAD_BLOCK (64ull << 10)

struct test_file {
    _Alignas(LINE) _Atomic uint64_t next; /* block to be done, where lanes share the file */
    _Alignas(LINE) uint64_t blocks;
    struct content content;
    int file;
    bool shared;
    char name[FILE_NAME];
};

struct block {
    uint64_t offset;
    char *data;
};

struct blocks {
    struct test_file *file;
    const struct pattern *pattern;
    uint64_t size; /* of a block */
    bool reads;
    char *memory;
    uint64_t stride; /* distance of one window in the memory from the next */
    uint64_t windows;
    struct verification found; /* complete after blocks_end */

    uint64_t own;    /* next block of a file that is not shared */
    uint64_t window; /* next one, without a data thread */
    bool threaded;   /* has a data thread */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t lane_wakes, data_wakes;
    uint64_t ready, used; /* windows that the data thread made ready, and that the lane has used */
    bool exhausted;       /* no block is left to be written */
    bool ended;           /* the lane needs no more windows */
    uint64_t offsets[WINDOWS_MOST];
};

/* Touches the memory, in the thread that will use it, and makes the first blocks' data. Returns 0
 * or an errno. */
int blocks_begin(struct blocks *blocks, bool threaded);

/* The lane's next block, its data made; false when none is left. */
bool blocks_next(struct blocks *blocks, struct block *block);

/* The block was written, or read and is to be verified. */
void blocks_done(struct blocks *blocks, const struct block *block);

/* Waits until what was read is verified and ends the data thread. */
void blocks_end(struct blocks *blocks);

#endif
