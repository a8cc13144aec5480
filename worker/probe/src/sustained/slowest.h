/* The slowest operations of a stream, with their places: a heap whose root is the fastest of
 * them. */
#ifndef ASSAY_SUSTAINED_SLOWEST_H
#define ASSAY_SUSTAINED_SLOWEST_H

#include <stdint.h>

#define SLOWEST_MOST 100

struct slow_operation {
    uint64_t latency_ns, end_ns, offset, stream;
};

struct slowest {
    uint64_t count;
    struct slow_operation heap[SLOWEST_MOST];
};

void slowest_add(struct slowest *slowest, const struct slow_operation *operation);

/* Sorts them, the slowest first; they are no heap any more. */
void slowest_sort(struct slowest *slowest);

#endif
