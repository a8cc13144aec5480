/* The operations that a stream has in flight by io_uring. Its thread submits one as soon as there is
 * room for it, takes the results, and generates the next blocks' data while it would otherwise wait,
 * so that the next operation is submitted before the figures of the last one are added. Other calls of
 * the stream, such as a periodic sync, begin when nothing is in flight and all figures are added. */
#ifndef ASSAY_FLIGHT_H
#define ASSAY_FLIGHT_H

#include "sustained/stream.h"

#include <stdbool.h>
#include <stdint.h>

/* Makes the place for `depth` operations; `windows` are the stream's blocks of memory. NULL with errno. */
struct flight *flight_make(uint64_t depth, uint64_t windows);

/* Nothing may be in flight, unless the process exits. */
void flight_free(struct flight *flight);

/* The task of threads with a flight. */
struct task flight_task(void);

/* The same as stream_add_unfinished, of operations that may return in any order. */
void flight_add_unfinished(struct stream *stream, uint64_t end);

/* Writes how long each operation that has not returned by `now` had taken, in ns, to `taken`, which has
 * room for the depth; returns their number. */
uint64_t flight_unreturned(const struct stream *stream, uint64_t now, uint64_t *taken);

#endif
