#include "sustained/slowest.h"

#include <stdlib.h>

static void exchange(struct slow_operation *one, struct slow_operation *other)
{
    struct slow_operation kept = *one;
    *one = *other;
    *other = kept;
}

static void sink(struct slowest *slowest)
{
    struct slow_operation *heap = slowest->heap;
    for (uint64_t at = 0, least; (least = 2 * at + 1) < slowest->count; at = least) {
        if (least + 1 < slowest->count && heap[least + 1].latency_ns < heap[least].latency_ns)
            least++;
        if (heap[at].latency_ns <= heap[least].latency_ns)
            return;
        exchange(&heap[at], &heap[least]);
    }
}

void slowest_add(struct slowest *slowest, const struct slow_operation *operation)
{
    struct slow_operation *heap = slowest->heap;
    if (slowest->count == SLOWEST_MOST) {
        if (operation->latency_ns <= heap[0].latency_ns)
            return;
        heap[0] = *operation;
        sink(slowest);
        return;
    }
    uint64_t at = slowest->count++;
    heap[at] = *operation;
    for (; at > 0 && heap[at].latency_ns < heap[(at - 1) / 2].latency_ns; at = (at - 1) / 2)
        exchange(&heap[at], &heap[(at - 1) / 2]);
}

static int slower_first(const void *one, const void *other)
{
    const struct slow_operation *a = one, *b = other;
    if (a->latency_ns != b->latency_ns)
        return a->latency_ns < b->latency_ns ? 1 : -1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

void slowest_sort(struct slowest *slowest)
{
    qsort(slowest->heap, slowest->count, sizeof *slowest->heap, slower_first);
}
