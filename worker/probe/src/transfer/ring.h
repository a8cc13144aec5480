/* A ring of aligned buffers between the threads that fill them and those that empty them. Buffers
 * are allocated once; the buffer that was emptied last is filled next, while it is still in the
 * cache. A thread that waits is counted: on a full ring (no buffer to fill) or an empty one. */
#ifndef ASSAY_TRANSFER_RING_H
#define ASSAY_TRANSFER_RING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct buffer {
    char *data;
    uint64_t number; /* of its block */
    uint32_t crc;    /* of its data, if the trial checks integrity */
};

struct ring {
    char *memory;
    uint64_t bytes; /* of the memory */
    struct buffer *buffers;
    uint64_t count;
    pthread_mutex_t mutex;
    pthread_cond_t has_free, has_filled;
    /* under the mutex */
    struct buffer **free;   /* a stack */
    struct buffer **filled; /* a queue */
    uint64_t free_count, filled_count, first, fillers;
    _Atomic uint64_t seen_filled; /* the same as filled_count, for other threads */
};

/* Allocates `count` buffers of `block` bytes, which `fillers` threads will fill; false with errno. */
bool ring_make(struct ring *ring, uint64_t count, uint64_t block, uint64_t fillers);

/* Does nothing to a ring that was not made. */
void ring_free(struct ring *ring);

/* Takes a buffer to fill, or a filled one; NULL if `stop` was set, or if no more will come. The
 * time that the thread waited is added to `waited_ns`. */
struct buffer *ring_take_free(struct ring *ring, const atomic_bool *stop, _Atomic uint64_t *waited_ns);
struct buffer *ring_take_filled(struct ring *ring, const atomic_bool *stop, _Atomic uint64_t *waited_ns);

void ring_put_filled(struct ring *ring, struct buffer *buffer);
void ring_put_free(struct ring *ring, struct buffer *buffer);

/* A thread will fill no more buffers. */
void ring_filler_ends(struct ring *ring);

#endif
