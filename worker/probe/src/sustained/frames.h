/* Dropped frames: what a source with so many frames of memory would have lost.
 *
 * A frame is a file of a sequence, else a block. Frames arrive at each stream in the rhythm of its
 * rate; the recorded calls of each frame are replayed against them (busy time, without sleep).
 * Ingest: the memory holds N frames with the one that is being written; one that arrives while all
 * are taken is lost, and its time is not spent. Playout: up to N frames are read ahead; one that is
 * not complete when it is due is lost, and is not begun any more after that. */
#ifndef ASSAY_SUSTAINED_FRAMES_H
#define ASSAY_SUSTAINED_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Memories of 1, 2, 4 ... 1024 frames. */
#define FRAME_MEMORIES 11
#define FRAME_MEMORY_MOST (1 << (FRAME_MEMORIES - 1))

/* The frames of one stream. */
struct frames {
    bool reads;
    uint64_t size; /* bytes of a frame; 0 without a rate */
    uint64_t rate; /* of the stream, bytes per second times `streams` */
    uint64_t streams;
    uint64_t part_bytes, part_ns; /* of the frame that is being moved */
    uint64_t count;               /* whole frames */
    double sojourn_ns, sojourn_most_ns; /* of a frame in unlimited memory */
    struct frame_memory {
        uint64_t held;    /* frames that were not lost */
        uint64_t last_ns; /* end of the last of them, since the first arrival */
        uint64_t dropped;
        uint64_t ends[FRAME_MEMORY_MOST]; /* of the last N, by number modulo N; unused by reads */
    } memories[FRAME_MEMORIES];
};

/* Adds calls that took `busy_ns` together and moved `bytes` at `offset` of the stream's data. Calls
 * before the first whole frame are left out. */
void frames_add(struct frames *frames, uint64_t offset, uint64_t bytes, uint64_t busy_ns);

/* The smallest memory, in frames, that would have lost none; 0 without a whole frame. */
uint64_t frames_needed(const struct frames *frames);

/* The part of it that the last frame needed. */
uint64_t frames_needed_at_end(const struct frames *frames);

#endif
