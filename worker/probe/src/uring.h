/* io_uring by its system calls, because the static binary has no library for it: a ring to which
 * one thread submits reads and writes, and from which it takes their results in the order of their
 * completion. Needs Linux 5.6, the first with these operations.
 *
 * A ring is used by the thread that made it. From Linux 6.1 on the kernel completes its operations
 * while that thread is in a call, instead of interrupting it, and shows that some are waiting. */
#ifndef ASSAY_URING_H
#define ASSAY_URING_H

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_uring_cqe;
struct io_uring_sqe;

struct uring {
    int file; /* -1 if it was not made */
    void *rings; /* of submissions and completions */
    size_t rings_bytes;
    struct io_uring_sqe *entries;
    size_t entries_bytes;
    uint32_t *submit_tail, *flags, *done_head, *done_tail; /* in `rings` */
    uint32_t submit_mask, done_mask;
    bool waits; /* the kernel can wait for a result with a limit */
    struct io_uring_cqe *results;
};

/* A read or write of a file's [offset, offset + bytes). */
struct uring_operation {
    bool reads;
    int file;
    char *data;
    uint32_t bytes;
    uint64_t offset;
    uint64_t id; /* of its result */
};

/* Makes a ring for `depth` operations in flight; false with errno, and with nothing to free. */
bool uring_make(struct uring *uring, unsigned depth);

/* Of no effect on a ring that was not made, with `file` = -1. No operation may be in flight. */
void uring_free(struct uring *uring);

/* Submits an operation at once; 0 or an errno. */
int uring_submit(struct uring *uring, const struct uring_operation *operation);

/* Asks the kernel to cancel an operation in flight; its result is -ECANCELED or -EINTR if it could. The request has a
 * result of its own, with the id URING_CANCEL. 0 or an errno. */
#define URING_CANCEL UINT64_MAX
int uring_cancel(struct uring *uring, uint64_t id);

/* Takes the next result, bytes or a negative errno; false if there is none. */
bool uring_take(struct uring *uring, uint64_t *id, int32_t *result);

/* Waits for a result, at most until `until` (CLOCK_MONOTONIC; 0 without a limit): 0, or an errno such as EINTR. */
int uring_wait(struct uring *uring, uint64_t until);

/* Whether this process may make `rings` rings of that depth; it is tried. If not, `why` says what refuses, and what to
 * do. */
bool uring_permitted(unsigned depth, unsigned rings, char *why, size_t size);

#endif
