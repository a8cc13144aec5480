#include "blocks.h"

#include <errno.h>
#include <string.h>

static char *window_at(const struct blocks *blocks, uint64_t number)
{
    return blocks->memory + number % blocks->windows * blocks->stride;
}

static bool claim(struct blocks *blocks, uint64_t *offset)
{
    struct test_file *file = blocks->file;
    uint64_t turn = file->shared ? atomic_fetch_add_explicit(&file->next, 1, memory_order_relaxed) : blocks->own++;
    *offset = turn * blocks->size;
    return turn < file->blocks;
}

static void fill(const struct blocks *blocks, uint64_t offset, char *data)
{
    testdata_fill(blocks->pattern, &blocks->file->content, offset, data, blocks->size);
}

static void verify(struct blocks *blocks, uint64_t offset, const char *data)
{
    const struct verification *found = &blocks->found;
    const uint64_t before = verification_errors(found);
    testdata_verify(blocks->pattern, &blocks->file->content, offset, data, blocks->size, &blocks->found);
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
    if (blocks->reads) {
        verify(blocks, block->offset, block->data);
    } else {
        block->offset = turn * blocks->size;
        fill(blocks, block->offset, block->data);
    }
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

int blocks_begin(struct blocks *blocks)
{
    struct dataqueue *queue = blocks->queue;
    memset(blocks->memory, 0, blocks->windows * blocks->stride);
    if (!queue)
        return 0;
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

bool blocks_next(struct blocks *blocks, struct block *block)
{
    if (blocks->queue)
        return dataqueue_take(blocks->queue, block) && (!blocks->reads || claim(blocks, &block->offset));
    block->data = window_at(blocks, blocks->window);
    if (!claim(blocks, &block->offset))
        return false;
    if (!blocks->reads)
        fill(blocks, block->offset, block->data);
    return true;
}

void blocks_done(struct blocks *blocks, const struct block *block)
{
    if (blocks->queue) {
        dataqueue_return(blocks->queue, block);
        return;
    }
    blocks->window = blocks->window + 1 < blocks->windows ? blocks->window + 1 : 0;
    if (blocks->reads)
        verify(blocks, block->offset, block->data);
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
        moved = blocks->reads ? pread(file, block->data + done, blocks->size - done, (off_t)(block->offset + done))
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
}
