/* What deduplication would keep of the data on standard input: prints all bytes and those of
 * distinct content-defined chunks (a gear hash, 1 to 64 KiB, about 5 KiB in the mean). Chunks are
 * compared by a hash of 64 bits. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1024
#define MOST 65536
#define BOUNDARY (((1ull << 12) - 1) << 40)
#define WINDOW (1 << 22)

static uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
    return word ^ (word >> 31);
}

static uint64_t hash(const unsigned char *data, size_t bytes)
{
    uint64_t sum = bytes;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
        sum ^= sum >> 29;
    }
    for (; bytes > 0; bytes--)
        sum = mix(sum ^ *data++);
    return mix(sum) | 1;
}

struct set {
    uint64_t *slots, size, count;
};

static bool add(struct set *set, uint64_t value);

static void grow(struct set *set)
{
    struct set larger = {NULL, set->size ? set->size * 4 : 1 << 16, 0};
    larger.slots = calloc(larger.size, 8);
    if (!larger.slots)
        exit(2);
    for (uint64_t i = 0; i < set->size; i++)
        if (set->slots[i])
            add(&larger, set->slots[i]);
    free(set->slots);
    *set = larger;
}

static bool add(struct set *set, uint64_t value)
{
    if (set->count * 2 >= set->size)
        grow(set);
    uint64_t at = value % set->size;
    for (; set->slots[at]; at = (at + 1) % set->size)
        if (set->slots[at] == value)
            return false;
    set->slots[at] = value;
    set->count++;
    return true;
}

static size_t chunk_length(const unsigned char *data, size_t bytes, const uint64_t *gear)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < bytes; at++) {
        sum = (sum << 1) + gear[data[at]];
        if (at + 1 >= MOST || (at + 1 >= LEAST && !(sum & BOUNDARY)))
            return at + 1;
    }
    return bytes;
}

int main(void)
{
    static unsigned char data[WINDOW + MOST];
    uint64_t gear[256], all = 0, chunked = 0;
    struct set chunks = {0};
    size_t have = 0, got;
    for (uint64_t i = 0; i < 256; i++)
        gear[i] = mix(i + 1);
    while ((got = fread(data + have, 1, sizeof data - have, stdin)) > 0 || have > 0) {
        size_t at = 0;
        have += got;
        all += got;
        while (at < have && (have - at >= MOST || got == 0)) {
            size_t length = chunk_length(data + at, have - at, gear);
            chunked += add(&chunks, hash(data + at, length)) ? length : 0;
            at += length;
        }
        memmove(data, data + at, have -= at);
    }
    printf("%" PRIu64 " %" PRIu64 "\n", all, chunked);
    return 0;
}
