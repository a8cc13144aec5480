#include "buffers.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static void drop(struct pool *pool)
{
    if (pool->mapped)
        munmap(pool->mapped, pool->mapped_bytes);
    *pool = (struct pool){0};
}

static bool grow(struct pool *pool, uint64_t bytes)
{
    if (pool->capacity >= bytes)
        return true;
    drop(pool);
    /* Large pools lie on huge pages: fewer entries to translate and to pin for O_DIRECT. */
    uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    uint64_t capacity = round_up(bytes, alignment), mapped_bytes = capacity + alignment;
    void *mapped = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    pool->mapped = mapped;
    pool->mapped_bytes = mapped_bytes;
    pool->capacity = capacity;
    pool->data = (char *)mapped + (round_up((uintptr_t)mapped, alignment) - (uintptr_t)mapped);
    if (alignment == HUGE_PAGE)
        madvise(pool->data, capacity, MADV_HUGEPAGE);
    return true;
}

/* SplitMix64 (Steele, Lea, Flood 2014), seeded by the kernel: incompressible and fast. */
static void fill(struct pool *pool, uint64_t bytes)
{
    if (pool->filled >= bytes)
        return;
    uint64_t state = 0;
    while (getrandom(&state, sizeof state, 0) != sizeof state)
        ;
    for (uint64_t at = 0; at < pool->capacity; at += sizeof state) {
        uint64_t word = state += 0x9e3779b97f4a7c15ull;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
        word ^= word >> 31;
        memcpy(pool->data + at, &word, sizeof word);
    }
    pool->filled = pool->capacity;
}

/* What earlier trials left counts too: where keeping it would pass the limit, it goes. */
static void make_room(struct buffers *buffers, uint64_t lanes, uint64_t bytes)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < LANES_MOST; i++) {
        uint64_t capacity = buffers->pools[i].capacity;
        total += i < lanes && capacity < bytes ? bytes : capacity;
    }
    for (uint64_t i = 0; total > buffers->limit && i < LANES_MOST; i++)
        if (i >= lanes || buffers->pools[i].capacity > bytes)
            drop(&buffers->pools[i]);
}

bool buffers_prepare(struct buffers *buffers, const struct trial *trial, uint64_t pool_bytes, struct windows *windows,
                     struct failure *failure)
{
    uint64_t share = buffers->limit / trial->threads;
    uint64_t stride = round_up(trial->block, PAGE);
    if (stride > share)
        return fail(failure, "memory", ENOMEM, false,
                    "buffers of block=%" PRIu64 " for threads=%" PRIu64 " would take more than the limit of %" PRIu64
                    " bytes; use smaller blocks or fewer threads",
                    trial->block, trial->threads, buffers->limit);
    uint64_t needed = (trial_bytes(trial) / trial->block + trial->threads - 1) / trial->threads * stride;
    uint64_t bytes = pool_bytes < share ? pool_bytes : share;
    bytes = needed < bytes ? needed : bytes;
    windows->capped = share < pool_bytes && share < needed && trial->kind == KIND_WRITE;
    windows->stride = stride;
    windows->count = trial->kind == KIND_READ || bytes < stride ? 1 : bytes / stride;
    bytes = windows->count * stride;
    make_room(buffers, trial->threads, bytes);
    for (uint64_t i = 0; i < trial->threads; i++) {
        struct pool *pool = &buffers->pools[i];
        if (!grow(pool, bytes))
            return fail_errno(failure, errno, "buffers can not be allocated");
        if (trial->kind == KIND_WRITE) {
            fill(pool, bytes);
        } else {
            memset(pool->data, 0, bytes); /* no page fault inside the first operation */
            pool->filled = 0;
        }
    }
    return true;
}

char *buffers_random(struct buffers *buffers, uint64_t bytes)
{
    struct pool *pool = &buffers->pools[0];
    if (!grow(pool, bytes))
        return NULL;
    fill(pool, bytes);
    return pool->data;
}

void buffers_free(struct buffers *buffers)
{
    for (uint64_t i = 0; i < LANES_MOST; i++)
        drop(&buffers->pools[i]);
}
