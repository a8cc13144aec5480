/* Stamps: 16 bytes at the head of each 512 of test data, so that no two sectors are equal
 * and a reader can tell that it reads what was written there. The first word holds the
 * file's key (a hash of run and file) above a counter that goes on through all trials of a
 * run, so that no trial writes what an earlier one wrote; the second the offset in the file. */
#ifndef ASSAY_STAMP_H
#define ASSAY_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define STAMP_EVERY 512

struct stamp {
    uint64_t word[2];
};

/* Where a block at `offset` has its first stamp: at the file's next multiple of 512. */
static inline uint64_t stamp_first(uint64_t offset)
{
    return -offset % STAMP_EVERY;
}

/* The most stamps that a block of so many bytes has. */
static inline uint64_t stamps_most(uint64_t bytes)
{
    return (bytes + STAMP_EVERY - 1) / STAMP_EVERY;
}

static inline void stamp_block(char *buffer, uint64_t bytes, uint64_t offset, uint64_t key, uint64_t counter)
{
    for (uint64_t at = stamp_first(offset); at + sizeof(struct stamp) <= bytes; at += STAMP_EVERY) {
        struct stamp stamp = {{key | (uint32_t)counter++, offset + at}};
        memcpy(buffer + at, &stamp, sizeof stamp);
    }
}

/* Whether the first stamp of a block is the one that was written there. */
static inline bool stamp_holds(const char *buffer, uint64_t bytes, uint64_t offset, uint64_t key)
{
    struct stamp stamp;
    uint64_t at = stamp_first(offset);
    if (at + sizeof stamp > bytes)
        return true;
    memcpy(&stamp, buffer + at, sizeof stamp);
    return stamp.word[0] >> 32 == key >> 32 && stamp.word[1] == offset + at;
}

/* FNV-1a of the run's name and a file's number, in the upper half. */
static inline uint64_t stamp_key(const char *run, uint64_t file)
{
    uint32_t hash = 2166136261u;
    for (; *run; run++)
        hash = (hash ^ (unsigned char)*run) * 16777619u;
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (unsigned char)(file >> (8 * i))) * 16777619u;
    return (uint64_t)hash << 32;
}

#endif
