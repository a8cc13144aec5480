/* Marks of a trial that is much longer than planned: a small limit stands in for the real one. */
#include "sustained/marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 1000
#define STEP 500
#define STREAMS 3

static int failures;

static void expect(bool good, const char *what, uint64_t most, uint64_t total, uint64_t number)
{
    if (good)
        return;
    failures++;
    printf("most=%" PRIu64 " total=%" PRIu64 ": %s (%" PRIu64 ")\n", most, total, what, number);
}

/* Closes the marks of `total` bytes and checks each against the one before. */
static void check(uint64_t most, uint64_t total)
{
    struct marks marks;
    struct mark *closed;
    uint64_t bytes = 0, now = 1, end = 1, largest = 0;
    if (!marks_make(&marks, SIZE, most, STREAMS))
        abort();
    marks_begin(&marks, now);
    for (uint64_t at = 0; at < total; at += STEP) {
        const struct operation_done done = {.start_ns = now, .end_ns = now + 7, .bytes = STEP, .busy_ns = 7};
        now = done.end_ns;
        if (marks_add(&marks, at / STEP % STREAMS, &done))
            marks_close(&marks, now, 0);
    }
    marks_close_last(&marks, now, 0);
    const uint64_t count = marks_take(&marks, &closed);
    for (uint64_t i = 0; i < count; i++) {
        bytes += closed[i].bytes;
        expect(closed[i].end_ns - closed[i].dt_ns == end, "a mark does not follow the one before", most, total, i);
        end = closed[i].end_ns;
        largest = i + 1 < count && closed[i].bytes > largest ? closed[i].bytes : largest;
    }
    expect(count <= most, "too many marks", most, total, count);
    expect(bytes == total, "the marks do not sum to the data", most, total, bytes);
    for (uint64_t i = 0; i < most / 2 && i < count; i++)
        expect(closed[i].bytes == SIZE || i + 1 == count, "a mark is wide before half of them are used", most, total, i);
    if (total > most * SIZE) {
        expect(count > most / 2, "too few marks", most, total, count);
        expect(largest <= marks.size && marks.size >= 2 * SIZE, "the size is not that of the last marks", most, total, largest);
    }
    if (total < most / 2 * SIZE)
        expect(marks.size == SIZE, "the size has changed", most, total, marks.size);
    free(closed);
    marks_free(&marks);
}

int main(void)
{
    const uint64_t limits[] = {2, 3, 16, 17, 100};
    const uint64_t lengths[] = {1, 8, 16, 17, 40, 100, 1000, 100000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++)
            check(limits[i], lengths[j] * SIZE);
    return failures != 0;
}
