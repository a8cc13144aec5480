#include "buffers.h"

#include "blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)
#define WINDOW_BYTES (4ull << 20) /* of a lane */

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

static bool map(struct pool *pool, uint64_t bytes)
{
    /* Large pools lie on huge pages: fewer entries to translate and to pin for O_DIRECT. */
    uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    uint64_t size = round_up(bytes, alignment), mapped_bytes = size + alignment;
    drop(pool);
    void *mapped = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    pool->mapped = mapped;
    pool->mapped_bytes = mapped_bytes;
    pool->data = (char *)mapped + (round_up((uintptr_t)mapped, alignment) - (uintptr_t)mapped);
    if (alignment == HUGE_PAGE)
        madvise(pool->data, size, MADV_HUGEPAGE);
    return true;
}

/* How many windows a lane should have: reads go through more memory than a processor's nearest
 * cache holds, and a data thread needs a window that the lane does not use. */
static uint64_t wanted_windows(const struct trial *trial, const struct windows *windows)
{
    uint64_t blocks = (trial_bytes(trial) / trial->block + trial->threads - 1) / trial->threads;
    uint64_t wanted = WINDOW_BYTES / windows->stride;
    if (trial->kind == KIND_WRITE && !windows->threaded)
        return 1;
    wanted = wanted < 2 ? 2 : wanted;
    wanted = windows->threaded && wanted > WINDOWS_MOST ? WINDOWS_MOST : wanted;
    return blocks < wanted ? blocks : wanted;
}

bool buffers_prepare(struct buffers *buffers, const struct trial *trial, struct windows *windows,
                     struct failure *failure)
{
    uint64_t share = buffers->limit / trial->threads;
    uint64_t stride = round_up(trial->block, PAGE);
    buffers_free(buffers);
    if (stride > share)
        return fail(failure, "memory", ENOMEM, false,
                    "buffers of block=%" PRIu64 " for threads=%" PRIu64 " would take more than the limit of %" PRIu64
                    " bytes; use smaller blocks or fewer threads",
                    trial->block, trial->threads, buffers->limit);
    *windows = (struct windows){.stride = stride};
    windows->threaded = trial->block >= DATA_THREAD_BLOCK && trial->threads <= trial->files;
    uint64_t wanted = wanted_windows(trial, windows), most = share / stride;
    windows->capped = most < wanted;
    windows->count = most < wanted ? most : wanted;
    windows->threaded &= windows->count > 1;
    for (uint64_t i = 0; i < trial->threads; i++)
        if (!map(&buffers->pools[i], windows->count * stride))
            return fail_errno(failure, errno, "buffers cannot be allocated");
    return true;
}

char *buffers_scratch(struct buffers *buffers, uint64_t bytes)
{
    struct pool *pool = &buffers->pools[0];
    return pool->mapped_bytes > bytes || map(pool, bytes) ? pool->data : NULL;
}

void buffers_free(struct buffers *buffers)
{
    for (uint64_t i = 0; i < LANES_MOST; i++)
        drop(&buffers->pools[i]);
}
