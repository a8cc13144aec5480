#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *window_at(const struct blocks *blocks, uint64_t number)
{
    return blocks->memory + number % blocks->windows * blocks->stride;
}

static void place(const struct blocks *blocks, uint64_t turn, struct block *block)
{
    block->offset = turn * blocks->size;
    block->reads = blocks->reads;
    block->content = blocks->file->content;
    if (blocks->placement.place)
        blocks->placement.place(blocks->placement.own, turn, block);
}

static bool claim(struct blocks *blocks, struct block *block)
{
    struct test_file *file = blocks->file;
    uint64_t turn = file->shared ? atomic_fetch_add_explicit(&file->next, 1, memory_order_relaxed) : blocks->own++;
    if (turn < file->blocks)
        place(blocks, turn, block);
    return turn < file->blocks;
}

static void fill(const struct blocks *blocks, const struct block *block)
{
    testdata_fill(blocks->pattern, &block->content, block->offset, block->data, blocks->size);
}

static void verify(struct blocks *blocks, const struct block *block)
{
    const struct verification *found = &blocks->found;
    const uint64_t before = verification_errors(found);
    testdata_verify(blocks->pattern, &block->content, block->offset, block->data, blocks->size, &blocks->found);
    if (verification_errors(found) == before)
        return;
    atomic_store(&blocks->seen.first, found->first); /* before the counts that it belongs to */
    atomic_store(&blocks->seen.corrupt, found->corrupt);
    atomic_store(&blocks->seen.stale, found->stale);
    atomic_store(&blocks->seen.misplaced, found->misplaced);
}

void blocks_add_errors(struct blocks *blocks, struct verification *sum)
{
    const struct verification seen = {
        .misplaced = atomic_load(&blocks->seen.misplaced),
        .stale = atomic_load(&blocks->seen.stale),
        .corrupt = atomic_load(&blocks->seen.corrupt),
        .first = atomic_load(&blocks->seen.first),
    };
    verification_add(sum, &seen);
}

static void make_data(void *argument, uint64_t turn, struct block *block)
{
    struct blocks *blocks = argument;
    if (block->reads) /* the one that was in the window */
        verify(blocks, block);
    if (blocks->reads)
        return; /* its I/O thread places the next one */
    place(blocks, turn, block);
    if (!block->reads)
        fill(blocks, block);
}

bool blocks_queue_make(struct dataqueue *queue, const struct test_file *file, bool reads, uint64_t threads, uint64_t windows)
{
    *queue = (struct dataqueue){
        .turns = reads ? UINT64_MAX : file->blocks,
        .windows = threads * windows,
        .batch = (windows + 1) / 2,
        .drains = reads,
    };
    return dataqueue_make(queue);
}

static int make_windows_idle(struct blocks *blocks)
{
    blocks->idle = calloc(blocks->windows, sizeof *blocks->idle);
    for (; blocks->idle && blocks->idled < blocks->windows; blocks->idled++)
        blocks->idle[blocks->idled] = window_at(blocks, blocks->idled);
    return blocks->idle ? 0 : ENOMEM;
}

int blocks_begin(struct blocks *blocks)
{
    struct dataqueue *queue = blocks->queue;
    memset(blocks->memory, 0, blocks->windows * blocks->stride);
    if (!queue)
        return make_windows_idle(blocks);
    for (uint64_t i = 0; i < blocks->windows; i++) {
        struct block block = {.data = window_at(blocks, i)};
        uint64_t turn = dataqueue_turn(queue);
        if (turn >= queue->turns)
            break; /* the file has fewer blocks than its threads have windows */
        if (!blocks->reads)
            make_data(blocks, turn, &block);
        dataqueue_ready(queue, turn, &block);
    }
    return data_thread_start(&blocks->data_thread, queue, make_data, blocks);
}

/* Whether the thread has been through a file of its own; it leaves the windows to those that still use them. */
static bool is_through(const struct blocks *blocks)
{
    return !blocks->file->shared && blocks->own >= blocks->file->blocks;
}

bool blocks_is_ready(struct blocks *blocks)
{
    if (is_through(blocks))
        return true;
    return blocks->queue ? dataqueue_is_ready(blocks->queue) : blocks->used < blocks->idled;
}

bool blocks_next(struct blocks *blocks, struct block *block)
{
    if (is_through(blocks) || (blocks->queue && !dataqueue_take(blocks->queue, block)))
        return false;
    if (blocks->queue && blocks->mixed)
        blocks->own++; /* placed by the data thread */
    if (blocks->queue)
        return !blocks->reads || claim(blocks, block);
    block->data = blocks->idle[blocks->used % blocks->windows];
    if (!claim(blocks, block))
        return false;
    blocks->used++;
    if (!block->reads)
        fill(blocks, block);
    return true;
}

void blocks_done(struct blocks *blocks, const struct block *block)
{
    if (blocks->queue) {
        dataqueue_return(blocks->queue, block);
        return;
    }
    if (block->reads)
        verify(blocks, block);
    blocks->idle[blocks->idled++ % blocks->windows] = block->data;
}

int64_t block_move_rest(const struct blocks *blocks, const struct block *block, ssize_t moved, const atomic_bool *stop)
{
    const int file = blocks->file->file;
    uint64_t done = moved > 0 ? (uint64_t)moved : 0;
    while (moved != 0 && done < blocks->size) {
        if (moved < 0 && errno != EINTR)
            return -1;
        if (atomic_load(stop)) {
            errno = EINTR; /* after a stop no new call begins */
            return -1;
        }
        moved = block->reads ? pread(file, block->data + done, blocks->size - done, (off_t)(block->offset + done))
                              : pwrite(file, block->data + done, blocks->size - done, (off_t)(block->offset + done));
        done += moved > 0 ? (uint64_t)moved : 0;
    }
    if (done == blocks->size)
        return (int64_t)done;
    errno = EIO; /* the file is shorter than the written data */
    return -1;
}

void blocks_end(struct blocks *blocks)
{
    data_thread_end(&blocks->data_thread);
    free(blocks->idle);
    blocks->idle = NULL;
}
