#include "buffers.h"

#include "blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)
#define WINDOW_BYTES (4ull << 20) /* of a thread */

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static void drop(struct mapping *mapping)
{
    if (mapping->mapped)
        munmap(mapping->mapped, mapping->mapped_bytes);
    *mapping = (struct mapping){0};
}

static bool map(struct mapping *mapping, uint64_t bytes)
{
    /* Large mappings use huge pages: fewer TLB entries, and fewer pages to pin for O_DIRECT. */
    uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    uint64_t size = round_up(bytes, alignment), mapped_bytes = size + alignment;
    drop(mapping);
    void *mapped = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    mapping->mapped = mapped;
    mapping->mapped_bytes = mapped_bytes;
    mapping->data = (char *)mapped + (round_up((uintptr_t)mapped, alignment) - (uintptr_t)mapped);
    if (alignment == HUGE_PAGE)
        madvise(mapping->data, size, MADV_HUGEPAGE);
    return true;
}

/* The number of windows that a thread should have besides those of the blocks in flight (but the
 * first): reads use more memory than a processor's nearest cache holds, a data thread needs a window
 * that the I/O thread does not use, and data for as many blocks as are in flight is generated ahead. */
static uint64_t wanted_windows(const struct demand *demand, const struct windows *windows)
{
    const uint64_t more = demand->depth > 1 ? demand->depth - 1 : 0;
    uint64_t wanted = WINDOW_BYTES / windows->stride;
    if (!demand->reads && !windows->threaded)
        wanted = 1 + more;
    else if (wanted < 2)
        wanted = 2;
    if (demand->reads || windows->threaded)
        wanted = wanted < demand->ahead ? demand->ahead : wanted;
    wanted = windows->threaded && wanted > WINDOWS_MOST ? WINDOWS_MOST : wanted;
    wanted += more;
    return demand->blocks < wanted ? demand->blocks : wanted;
}

bool buffers_prepare(struct buffers *buffers, const struct demand *demand, struct windows *windows,
                     struct failure *failure)
{
    uint64_t share = buffers->limit / demand->threads;
    uint64_t stride = round_up(demand->block, PAGE);
    uint64_t least = demand->depth > 1 ? demand->depth : 1;
    buffers_free(buffers);
    least = demand->blocks < least ? demand->blocks : least;
    if (least * stride > share && least > 1)
        return fail(failure, "memory", ENOMEM, false,
                    "buffers of block=%" PRIu64 " for queue_depth=%" PRIu64 " and streams=%" PRIu64
                    " would take more than the limit of %" PRIu64 " bytes; use smaller blocks or a lower depth",
                    demand->block, demand->depth - 1, demand->threads, buffers->limit);
    if (stride > share)
        return fail(failure, "memory", ENOMEM, false,
                    "buffers of block=%" PRIu64 " for threads=%" PRIu64 " would take more than the limit of %" PRIu64
                    " bytes; use smaller blocks or fewer threads",
                    demand->block, demand->threads, buffers->limit);
    *windows = (struct windows){.stride = stride};
    windows->threaded = demand->block >= DATA_THREAD_BLOCK || (demand->reads && demand->depth > 0);
    uint64_t wanted = wanted_windows(demand, windows), most = share / stride;
    windows->capped = most < wanted;
    windows->count = most < wanted ? most : wanted;
    windows->threaded &= windows->count > 1;
    for (uint64_t i = 0; i < demand->threads; i++)
        if (!map(&buffers->mappings[i], windows->count * stride))
            return fail_errno(failure, errno, "buffers cannot be allocated");
    return true;
}

char *buffers_scratch(struct buffers *buffers, uint64_t bytes)
{
    struct mapping *mapping = &buffers->mappings[0];
    const size_t before = mapping->mapped ? (size_t)(mapping->data - (char *)mapping->mapped) : 0; /* for alignment */
    return mapping->mapped_bytes >= before + bytes || map(mapping, bytes) ? mapping->data : NULL;
}

void buffers_free(struct buffers *buffers)
{
    for (uint64_t i = 0; i < BUFFERS_MOST; i++)
        drop(&buffers->mappings[i]);
}
