#include "transfer/ring.h"

#include "clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* How soon a waiting thread notices a stop. */
#define LOOK_NS (50 * NS_PER_MS)

static void make_locks(struct ring *ring)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&ring->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&ring->has_free, &attributes);
    pthread_cond_init(&ring->has_filled, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool ring_make(struct ring *ring, uint64_t count, uint64_t block, uint64_t fillers)
{
    *ring = (struct ring){.count = count, .bytes = count * block, .fillers = fillers};
    ring->buffers = calloc(count, sizeof *ring->buffers);
    ring->free = calloc(count, sizeof(struct buffer *));
    ring->filled = calloc(count, sizeof(struct buffer *));
    char *memory = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ring->memory = memory == MAP_FAILED ? NULL : memory;
    make_locks(ring);
    if (!ring->buffers || !ring->free || !ring->filled || !ring->memory) {
        errno = ENOMEM;
        return false;
    }
    madvise(ring->memory, ring->bytes, MADV_HUGEPAGE);
    memset(ring->memory, 0, ring->bytes); /* no page is allocated while data is on its way */
    for (uint64_t i = 0; i < count; i++) {
        ring->buffers[i].data = ring->memory + i * block;
        ring->free[ring->free_count++] = &ring->buffers[i];
    }
    return true;
}

void ring_free(struct ring *ring)
{
    if (ring->count == 0)
        return;
    if (ring->memory)
        munmap(ring->memory, ring->bytes);
    free(ring->buffers);
    free(ring->free);
    free(ring->filled);
    pthread_cond_destroy(&ring->has_free);
    pthread_cond_destroy(&ring->has_filled);
    pthread_mutex_destroy(&ring->mutex);
    *ring = (struct ring){0};
}

/* Waits, with the mutex held, until `count` is not 0, no thread fills any more (`fillers`, if not
 * NULL), or the stop. */
static void await(struct ring *ring, pthread_cond_t *changed, const uint64_t *count, const uint64_t *fillers,
                  const atomic_bool *stop, _Atomic uint64_t *waited_ns)
{
    if (*count > 0)
        return;
    const uint64_t began = clock_mono();
    uint64_t now = began;
    while (*count == 0 && (!fillers || *fillers > 0) && !atomic_load(stop)) {
        struct timespec until = clock_timespec(now + LOOK_NS);
        pthread_cond_timedwait(changed, &ring->mutex, &until);
        now = clock_mono();
    }
    atomic_fetch_add_explicit(waited_ns, now - began, memory_order_relaxed);
}

struct buffer *ring_take_free(struct ring *ring, const atomic_bool *stop, _Atomic uint64_t *waited_ns)
{
    pthread_mutex_lock(&ring->mutex);
    await(ring, &ring->has_free, &ring->free_count, NULL, stop, waited_ns);
    struct buffer *buffer = ring->free_count ? ring->free[--ring->free_count] : NULL;
    pthread_mutex_unlock(&ring->mutex);
    return buffer;
}

struct buffer *ring_take_filled(struct ring *ring, const atomic_bool *stop, _Atomic uint64_t *waited_ns)
{
    struct buffer *buffer = NULL;
    pthread_mutex_lock(&ring->mutex);
    await(ring, &ring->has_filled, &ring->filled_count, &ring->fillers, stop, waited_ns);
    if (ring->filled_count) {
        buffer = ring->filled[ring->first];
        ring->first = (ring->first + 1) % ring->count;
        atomic_store_explicit(&ring->seen_filled, --ring->filled_count, memory_order_relaxed);
    }
    pthread_mutex_unlock(&ring->mutex);
    return buffer;
}

void ring_put_filled(struct ring *ring, struct buffer *buffer)
{
    pthread_mutex_lock(&ring->mutex);
    ring->filled[(ring->first + ring->filled_count) % ring->count] = buffer;
    atomic_store_explicit(&ring->seen_filled, ++ring->filled_count, memory_order_relaxed);
    pthread_cond_signal(&ring->has_filled);
    pthread_mutex_unlock(&ring->mutex);
}

void ring_put_free(struct ring *ring, struct buffer *buffer)
{
    pthread_mutex_lock(&ring->mutex);
    ring->free[ring->free_count++] = buffer;
    pthread_cond_signal(&ring->has_free);
    pthread_mutex_unlock(&ring->mutex);
}

void ring_filler_ends(struct ring *ring)
{
    pthread_mutex_lock(&ring->mutex);
    if (--ring->fillers == 0)
        pthread_cond_broadcast(&ring->has_filled);
    pthread_mutex_unlock(&ring->mutex);
}
