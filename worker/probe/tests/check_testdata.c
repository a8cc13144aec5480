/* Property checks of test data: what was made verifies, and any other content does not. Prints
 * what failed and ends with 1. `check_testdata plain` uses neither CRC32C instructions nor AVX2. */
#include "crc32c.h"
#include "testdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL 8192
#define BYTES (64 * SECTOR)

static int failures;

static void expect(bool holds, const char *what, uint64_t at)
{
    if (!holds && failures++ < 20)
        printf("%s (at %" PRIu64 ")\n", what, at);
}

static struct verification verified(const struct pattern *pattern, const struct content *content, uint64_t offset,
                                    const char *data, uint64_t bytes)
{
    struct verification found = {0};
    testdata_verify(pattern, content, offset, data, bytes, &found);
    return found;
}

static uint32_t slow_crc(const unsigned char *data, size_t bytes)
{
    uint32_t state = 0xffffffffu;
    for (size_t i = 0; i < bytes; i++) {
        state ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ 0x82f63b78u : state >> 1;
    }
    return ~state;
}

/* The check value of the CRC catalog, and each sector's CRC by its definition alone. */
static void crc_is_the_standard_one(const struct pattern *pattern, const char *data)
{
    expect(~crc32c(CRC32C_BEGIN, "123456789", 9, pattern->hardware) == 0xe3069283u, "CRC32C of 123456789", 0);
    for (uint64_t at = 0; at < BYTES; at += SECTOR) {
        unsigned char sector[SECTOR];
        uint32_t stored;
        memcpy(sector, data + at, SECTOR);
        memcpy(&stored, sector + 508, 4);
        memset(sector + 508, 0, 4);
        expect(stored == slow_crc(sector, SECTOR), "a sector's CRC is not that of its content", at);
    }
}

static void any_part_is_a_part_of_the_whole(const struct pattern *pattern, const struct content *content,
                                            const char *data)
{
    char part[4096];
    for (int round = 0; round < 4000; round++) {
        uint64_t bytes = 1 + (uint64_t)rand() % sizeof part, offset = (uint64_t)rand() % (BYTES - bytes);
        testdata_fill(pattern, content, offset, part, bytes);
        expect(memcmp(part, data + offset, bytes) == 0, "a part differs from the whole", offset);
        struct verification found = verified(pattern, content, offset, part, bytes);
        expect(verification_errors(&found) == 0, "a part does not verify", offset);
        uint64_t at = (uint64_t)rand() % bytes;
        part[at] ^= (char)(1 << rand() % 8);
        found = verified(pattern, content, offset, part, bytes);
        expect(verification_errors(&found) == 1, "a bit flipped in a part is not found", offset + at);
    }
}

static void every_flipped_bit_is_found(const struct pattern *pattern, const struct content *content, char *data)
{
    for (uint64_t bit = 0; bit < 6 * SECTOR * 8; bit++) {
        data[bit / 8] ^= (char)(1 << bit % 8);
        struct verification found = verified(pattern, content, 0, data, 7 * SECTOR);
        expect(found.corrupt == 1 && verification_errors(&found) == 1, "a flipped bit is not found", bit);
        expect(found.first == bit / 8 / SECTOR * SECTOR, "a flipped bit is found elsewhere", bit);
        data[bit / 8] ^= (char)(1 << bit % 8);
    }
}

/* Puts a sector of other content into each place; `kind` is the count that must find it. */
static void foreign_sector_is_found(const struct pattern *pattern, const struct content *content, char *data,
                                    const struct content *other, uint64_t shift, size_t kind)
{
    char kept[SECTOR];
    for (uint64_t at = 0; at < BYTES; at += SECTOR) {
        memcpy(kept, data + at, SECTOR);
        testdata_fill(pattern, other, (at + shift) % BYTES, data + at, SECTOR);
        struct verification found = verified(pattern, content, 0, data, BYTES);
        uint64_t count;
        memcpy(&count, (char *)&found + kind, sizeof count);
        expect(count == 1 && verification_errors(&found) == 1 && found.first == at, "a foreign sector is not found", at);
        memcpy(data + at, kept, SECTOR);
    }
}

static void foreign_sectors_are_found(const struct pattern *pattern, const struct content *content, char *data)
{
    struct content pass = *content, file = *content, run = *content;
    const size_t stale = offsetof(struct verification, stale), misplaced = offsetof(struct verification, misplaced);
    pass.pass--; /* the same keys: only the stamp differs */
    file.file++;
    run.run ^= 1ull << 63;
    foreign_sector_is_found(pattern, content, data, &pass, 0, stale);
    foreign_sector_is_found(pattern, content, data, &file, 0, misplaced);
    foreign_sector_is_found(pattern, content, data, &run, 0, misplaced);
    foreign_sector_is_found(pattern, content, data, content, POOL, misplaced);
    foreign_sector_is_found(pattern, content, data, content, SECTOR, misplaced);
}

/* No eight bytes occur twice, in all that two passes over two files write. */
static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

static void nothing_is_written_twice(const struct pattern *pattern)
{
    uint64_t bytes = 256 * POOL, keys = pattern_keys(pattern, bytes);
    char *all = malloc(4 * bytes);
    for (uint64_t i = 0; i < 4; i++) {
        struct content content = {7, (uint32_t)(i % 2), (uint32_t)(i / 2) + 1, i * keys};
        testdata_fill(pattern, &content, 0, all + i * bytes, bytes);
    }
    qsort(all, 4 * bytes / 8, 8, by_value);
    for (uint64_t at = 8; at < 4 * bytes; at += 8)
        expect(memcmp(all + at - 8, all + at, 8) != 0, "eight bytes were written twice", at);
    free(all);
}

int main(int count, char **arguments)
{
    static char data[BYTES];
    struct pattern pattern;
    struct content content = {testdata_run("r1-p1"), 3, 5, 11};
    if (!pattern_make(&pattern, POOL))
        return 2;
    if (count > 1 && strcmp(arguments[1], "plain") == 0)
        pattern.hardware = pattern.wide = false;
    srand(1);
    expect(testdata_run("r1-p1") != content.run, "two segments of a run have one number", 0);
    testdata_fill(&pattern, &content, 0, data, BYTES);
    crc_is_the_standard_one(&pattern, data);
    any_part_is_a_part_of_the_whole(&pattern, &content, data);
    every_flipped_bit_is_found(&pattern, &content, data);
    foreign_sectors_are_found(&pattern, &content, data);
    nothing_is_written_twice(&pattern);
    pattern_free(&pattern);
    return failures > 0;
}
