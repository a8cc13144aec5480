#include "sustained/frames.h"

#include "clock.h"

/* When a frame arrives, since the first one did. */
static uint64_t arrival_of(const struct frames *frames, uint64_t number)
{
    const unsigned __int128 bytes = (unsigned __int128)number * frames->size * frames->streams;
    return (uint64_t)(bytes * NS_PER_S / frames->rate);
}

static double period_of(const struct frames *frames)
{
    return (double)frames->size * (double)frames->streams * (double)NS_PER_S / (double)frames->rate;
}

static void ingest(struct frame_memory *memory, uint64_t size, uint64_t arrival, uint64_t took)
{
    uint64_t *slot = &memory->ends[memory->held % size];
    if (memory->held >= size && *slot > arrival) {
        memory->dropped++;
        return;
    }
    memory->last_ns = (memory->last_ns > arrival ? memory->last_ns : arrival) + took;
    memory->held++;
    *slot = memory->last_ns;
}

/* `arrival` is when there is memory for the frame; it is due `ahead` later. */
static void playout(struct frame_memory *memory, uint64_t ahead, uint64_t arrival, uint64_t took)
{
    const uint64_t begin = memory->last_ns > arrival ? memory->last_ns : arrival;
    if (begin >= arrival + ahead) {
        memory->dropped++;
        return;
    }
    memory->last_ns = begin + took;
    memory->held++;
    if (memory->last_ns > arrival + ahead)
        memory->dropped++;
}

static void add_frame(struct frames *frames, uint64_t took)
{
    const uint64_t arrival = arrival_of(frames, frames->count), period = (uint64_t)period_of(frames);
    const double waited = frames->sojourn_ns - period_of(frames);
    frames->sojourn_ns = (waited > 0 ? waited : 0) + (double)took;
    if (frames->sojourn_ns > frames->sojourn_most_ns)
        frames->sojourn_most_ns = frames->sojourn_ns;
    frames->count++;
    for (int i = 0; i < FRAME_MEMORIES; i++) {
        struct frame_memory *memory = &frames->memories[i];
        if (frames->reads)
            playout(memory, period << i, arrival, took);
        else
            ingest(memory, 1ull << i, arrival, took);
    }
}

void frames_add(struct frames *frames, uint64_t offset, uint64_t bytes, uint64_t busy_ns)
{
    if (frames->size == 0 || (frames->part_bytes == 0 && offset % frames->size != 0))
        return;
    frames->part_bytes += bytes;
    frames->part_ns += busy_ns;
    if (frames->part_bytes < frames->size)
        return;
    add_frame(frames, frames->part_ns);
    frames->part_bytes = 0;
    frames->part_ns = 0;
}

static uint64_t frames_during(const struct frames *frames, double sojourn_ns)
{
    if (frames->count == 0)
        return 0;
    const double needed = sojourn_ns / period_of(frames);
    const uint64_t whole = (uint64_t)needed;
    return whole + (needed > (double)whole || whole == 0);
}

uint64_t frames_needed(const struct frames *frames)
{
    return frames_during(frames, frames->sojourn_most_ns);
}

uint64_t frames_needed_at_end(const struct frames *frames)
{
    return frames_during(frames, frames->sojourn_ns);
}
