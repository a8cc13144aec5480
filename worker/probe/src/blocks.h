/* File I/O in blocks: the position of an I/O thread's next block, its memory, its data, and the
 * call that transfers it.
 *
 * Data is generated before a write and verified after a read, never inside the timed call. If
 * blocks are small, an I/O thread does this between its calls. If they are large, or several are
 * read at once, a data thread does it in other windows of memory while the I/O thread waits in the
 * kernel (dataqueue.h). The blocks of a file are begun in their order, whichever of its threads
 * generated them, unless the job places them elsewhere. An I/O thread may have several blocks in
 * flight, which it returns in any order. */
#ifndef ASSAY_BLOCKS_H
#define ASSAY_BLOCKS_H

#include "dataqueue.h"
#include "testdata.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#define FILE_NAME 48
#define WINDOWS_MOST 64
/* Below this size, generating a block's data takes less time than waking a thread. A thread that
 * reads several blocks at once has a data thread for smaller ones too: what verifies a block would
 * delay the next one, and one wake-up serves half of the windows. */
#define DATA_THREAD_BLOCK (64ull << 10)

struct test_file {
    _Alignas(LINE) _Atomic uint64_t next; /* block to be done, where threads share the file */
    _Alignas(LINE) uint64_t blocks;
    struct content content;
    int file;
    bool shared;
    char name[FILE_NAME];
};

/* The job's order of a file's blocks. */
struct placement {
    /* Fills offset, direction and content of a turn's block; NULL for the file's own order. Called by
     * one thread at a time. */
    void (*place)(void *own, uint64_t turn, struct block *block);
    void *own;
};

struct blocks {
    struct test_file *file;
    const struct pattern *pattern;
    uint64_t size; /* of a block */
    bool reads; /* all blocks are read */
    bool mixed; /* some of them are, as they are placed */
    struct placement placement;
    struct dataqueue *queue; /* NULL without a data thread; of a write, shared by the file's threads */
    char *memory; /* of all windows */
    uint64_t stride; /* distance of one window in the memory from the next */
    uint64_t windows;
    struct verification found; /* of the thread that verifies; complete after blocks_end */
    struct {
        _Atomic uint64_t corrupt, stale, misplaced, first;
    } seen; /* the same so far, for other threads */

    uint64_t own; /* next block of a file that is not shared */
    char **idle;  /* ring of the windows without a block, if there is no data thread */
    uint64_t idled, used; /* windows that became idle, and that left the ring */
    struct data_thread data_thread;
};

/* Makes the queue that `threads` I/O threads with `windows` windows of memory each share to write
 * `file`. If any of its blocks are read, they are verified in any order, and each thread has a queue of
 * its own. False with errno if there is no memory. */
bool blocks_queue_make(struct dataqueue *queue, const struct test_file *file, bool reads, uint64_t threads, uint64_t windows);

/* Touches the memory, in the thread that will use it, and generates the first blocks' data.
 * Returns 0 or an errno. */
int blocks_begin(struct blocks *blocks);

/* Whether blocks_next has a window for the next block, with its data, and does not wait. */
bool blocks_is_ready(struct blocks *blocks);

/* The next block with generated data; false if none is left. */
bool blocks_next(struct blocks *blocks, struct block *block);

/* The block was written, or read and is to be verified. */
void blocks_done(struct blocks *blocks, const struct block *block);

/* Continues after a first call that transferred less than the whole block; see block_move. */
int64_t block_move_rest(const struct blocks *blocks, const struct block *block, ssize_t moved, const atomic_bool *stop);

/* Writes or reads a block. Returns the number of bytes transferred, which is the whole block, or
 * -1 with errno: EINTR if `stop` was set after a partial first call, EIO if the file ended early. */
static inline int64_t block_move(const struct blocks *blocks, const struct block *block, const atomic_bool *stop)
{
    const int file = blocks->file->file;
    ssize_t moved = block->reads ? pread(file, block->data, blocks->size, (off_t)block->offset)
                                  : pwrite(file, block->data, blocks->size, (off_t)block->offset);
    return moved == (ssize_t)blocks->size ? moved : block_move_rest(blocks, block, moved, stop);
}

/* Adds the errors found so far, while other threads verify. */
void blocks_add_errors(struct blocks *blocks, struct verification *sum);

/* Waits until all read data is verified, and ends the data thread. */
void blocks_end(struct blocks *blocks);

#endif
