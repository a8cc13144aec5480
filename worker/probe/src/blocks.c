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
    testdata_verify(blocks->pattern, &blocks->file->content, offset, data, blocks->size, &blocks->found);
}

/* The number of windows that the data thread can use. */
static uint64_t backlog(const struct blocks *blocks)
{
    return blocks->windows - (blocks->ready - blocks->used);
}

/* Waits for half of the windows, so that the thread is not woken for every block; false at the
 * end. */
static bool await_backlog(struct blocks *blocks)
{
    uint64_t enough = (blocks->windows + 1) / 2;
    while (!blocks->ended && backlog(blocks) < enough)
        pthread_cond_wait(&blocks->data_wakes, &blocks->mutex);
    return blocks->reads ? backlog(blocks) > 0 : !blocks->ended;
}

/* False if no block is left to write. */
static bool make_ready(struct blocks *blocks, uint64_t number)
{
    uint64_t *offset = &blocks->offsets[number % blocks->windows];
    if (blocks->reads)
        verify(blocks, *offset, window_at(blocks, number));
    else if (!claim(blocks, offset))
        return false;
    else
        fill(blocks, *offset, window_at(blocks, number));
    return true;
}

static void *make_data(void *argument)
{
    struct blocks *blocks = argument;
    pthread_mutex_lock(&blocks->mutex);
    while (!blocks->exhausted && await_backlog(blocks))
        while (!blocks->exhausted && backlog(blocks) > 0 && (blocks->reads || !blocks->ended)) {
            uint64_t number = blocks->ready;
            pthread_mutex_unlock(&blocks->mutex);
            bool made = make_ready(blocks, number);
            pthread_mutex_lock(&blocks->mutex);
            blocks->ready += made;
            blocks->exhausted = !made;
            pthread_cond_signal(&blocks->io_wakes);
        }
    pthread_mutex_unlock(&blocks->mutex);
    return NULL;
}

static int start_data_thread(struct blocks *blocks)
{
    pthread_mutex_init(&blocks->mutex, NULL);
    pthread_cond_init(&blocks->io_wakes, NULL);
    pthread_cond_init(&blocks->data_wakes, NULL);
    blocks->ready = blocks->reads ? blocks->windows : 0; /* for a read, all are free */
    int error = pthread_create(&blocks->thread, NULL, make_data, blocks);
    if (error != 0)
        return error;
    blocks->threaded = true;
    pthread_mutex_lock(&blocks->mutex);
    while (backlog(blocks) > 0 && !blocks->exhausted)
        pthread_cond_wait(&blocks->io_wakes, &blocks->mutex);
    pthread_mutex_unlock(&blocks->mutex);
    return 0;
}

int blocks_begin(struct blocks *blocks)
{
    memset(blocks->memory, 0, blocks->windows * blocks->stride);
    return blocks->wants_thread ? start_data_thread(blocks) : 0;
}

bool blocks_next(struct blocks *blocks, struct block *block)
{
    if (!blocks->threaded) {
        block->data = window_at(blocks, blocks->window);
        if (!claim(blocks, &block->offset))
            return false;
        if (!blocks->reads)
            fill(blocks, block->offset, block->data);
        return true;
    }
    pthread_mutex_lock(&blocks->mutex);
    while (blocks->ready == blocks->used && !blocks->exhausted)
        pthread_cond_wait(&blocks->io_wakes, &blocks->mutex);
    bool found = blocks->ready != blocks->used;
    pthread_mutex_unlock(&blocks->mutex);
    uint64_t number = blocks->used % blocks->windows;
    if (found && blocks->reads)
        found = claim(blocks, &blocks->offsets[number]);
    *block = (struct block){blocks->offsets[number], window_at(blocks, number)};
    return found;
}

void blocks_done(struct blocks *blocks, const struct block *block)
{
    if (!blocks->threaded) {
        blocks->window = blocks->window + 1 < blocks->windows ? blocks->window + 1 : 0;
        if (blocks->reads)
            verify(blocks, block->offset, block->data);
        return;
    }
    pthread_mutex_lock(&blocks->mutex);
    blocks->used++;
    if (backlog(blocks) == (blocks->windows + 1) / 2)
        pthread_cond_signal(&blocks->data_wakes);
    pthread_mutex_unlock(&blocks->mutex);
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
    if (!blocks->threaded)
        return;
    pthread_mutex_lock(&blocks->mutex);
    blocks->ended = true;
    pthread_cond_signal(&blocks->data_wakes);
    pthread_mutex_unlock(&blocks->mutex);
    pthread_join(blocks->thread, NULL);
    pthread_cond_destroy(&blocks->data_wakes);
    pthread_cond_destroy(&blocks->io_wakes);
    pthread_mutex_destroy(&blocks->mutex);
    blocks->threaded = false;
}
