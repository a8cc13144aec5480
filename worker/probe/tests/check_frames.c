/* Dropped frames: against a stall whose losses are known, and random times against counted slots. */
#include "sustained/frames.h"

#include "clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 1000
#define PERIOD NS_PER_MS /* of a frame: SIZE bytes at RATE */
#define RATE (SIZE * (NS_PER_S / PERIOD))
#define COUNT 5000

static struct frames frames;
static int failures;

static void expect(uint64_t found, uint64_t wanted, const char *what, uint64_t place)
{
    if (found == wanted)
        return;
    failures++;
    printf("%s (%" PRIu64 "): %" PRIu64 ", not %" PRIu64 "\n", what, place, found, wanted);
}

static void begin(bool reads)
{
    memset(&frames, 0, sizeof frames);
    frames = (struct frames){.reads = reads, .size = SIZE, .rate = RATE, .streams = 1};
}

/* Adds a frame in two calls. */
static void frame(uint64_t number, uint64_t took)
{
    frames_add(&frames, number * SIZE, SIZE / 2, took / 2);
    frames_add(&frames, number * SIZE + SIZE / 2, SIZE / 2, took - took / 2);
}

/* One frame takes `tenths` of periods and all others nothing. */
static void check_stall(bool reads, uint64_t tenths)
{
    begin(reads);
    for (uint64_t i = 0; i < COUNT; i++)
        frame(i, i == 50 ? tenths * PERIOD / 10 : 0);
    const uint64_t periods = (tenths + 9) / 10;
    expect(frames.count, COUNT, "frames", tenths);
    expect(frames_needed(&frames), periods, "memory needed", tenths);
    expect(frames_needed_at_end(&frames), 1, "memory needed at the end", tenths);
    for (int i = 0; i < FRAME_MEMORIES; i++) {
        const uint64_t memory = 1ull << i, left = tenths > 10 * memory ? tenths - 10 * memory : 0;
        const uint64_t lost = reads ? (left ? 1 + left / 10 : 0) : (periods > memory ? periods - memory : 0);
        expect(frames.memories[i].dropped, lost, reads ? "lost by playout" : "lost by ingest", memory);
    }
}

/* Frames of twice the period: of those that arrive once the memory is full, every other is lost. */
static void check_overload(void)
{
    begin(false);
    for (uint64_t i = 0; i < COUNT; i++)
        frame(i, 2 * PERIOD);
    expect(frames_needed_at_end(&frames), frames_needed(&frames), "memory needed under overload", COUNT);
    for (int i = 0; i < FRAME_MEMORIES; i++) {
        const uint64_t memory = 1ull << i, lost = frames.memories[i].dropped, about = (COUNT - 2 * memory) / 2;
        if (lost < about - 2 || lost > about + memory)
            expect(lost, about, "lost under overload", memory);
    }
}

static uint64_t lost_by_slots(const uint64_t *took, uint64_t memory)
{
    static uint64_t ends[COUNT];
    uint64_t held = 0, gone = 0, lost = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t now = i * PERIOD;
        while (gone < held && ends[gone] <= now)
            gone++;
        if (held - gone == memory) {
            lost++;
            continue;
        }
        const uint64_t free_at = held > gone ? ends[held - 1] : now;
        ends[held++] = free_at + took[i];
    }
    return lost;
}

static void check_random(unsigned seed)
{
    static uint64_t took[COUNT];
    srand(seed);
    begin(false);
    for (uint64_t i = 0; i < COUNT; i++) {
        took[i] = (uint64_t)rand() % (rand() % 100 == 0 ? 60 * PERIOD : PERIOD);
        frame(i, took[i]);
    }
    const uint64_t needed = frames_needed(&frames);
    for (int i = 0; i < FRAME_MEMORIES; i++) {
        const uint64_t memory = 1ull << i, lost = frames.memories[i].dropped;
        expect(lost, lost_by_slots(took, memory), "lost by counted slots", memory);
        expect(lost == 0, memory >= needed, "lost none", memory);
    }
}

int main(void)
{
    for (uint64_t tenths = 1; tenths < 900; tenths += 7)
        for (int reads = 0; reads < 2; reads++)
            check_stall(reads, tenths);
    check_overload();
    for (unsigned seed = 1; seed <= 50; seed++)
        check_random(seed);
    begin(false);
    frames_add(&frames, SIZE / 2, SIZE / 2, PERIOD); /* the rest of a frame that a ramp-up began */
    expect(frames.count, 0, "a part of a frame counts", 0);
    return failures != 0;
}
