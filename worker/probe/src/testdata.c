#include "testdata.h"

#include "crc32c.h"
#include "mix.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define STAMP 480 /* offset in a sector: three words, then four bytes of data and the CRC */
#define LAST 504
#define CRC 508
#define STAMP_WORDS 3
#define INLINE static inline __attribute__((always_inline))

struct stamp {
    uint64_t word[STAMP_WORDS];
};

typedef uint64_t wide_t __attribute__((vector_size(32)));

static uint64_t load(const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static uint32_t stored_crc(const char *sector)
{
    return (uint32_t)(load(sector + LAST) >> 32);
}

/* A sector's last word for the CRC: with zeros in place of the CRC. */
static uint64_t last_word(const char *sector)
{
    return (uint32_t)load(sector + LAST);
}

static bool has_avx2(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
#else
    return false;
#endif
}

static uint64_t random_word(void)
{
    uint64_t word = 0;
    while (getrandom(&word, sizeof word, 0) != sizeof word)
        ;
    return word;
}

/* The next number of the sequence of a seed. */
static uint64_t next_word(uint64_t *state)
{
    return mix(*state += 0x9e3779b97f4a7c15ull);
}

static void make_basis(struct pattern *pattern, uint64_t *state)
{
    for (int i = 0; i < KEYS; i++) {
        struct key *key = &pattern->basis[i];
        char repeated[SECTOR];
        for (int word = 0; word < 4; word++)
            key->word[word] = next_word(state);
        for (int at = 0; at < SECTOR; at += 32)
            memcpy(repeated + at, key->word, 32);
        key->crc = crc32c(0, repeated, STAMP, pattern->hardware);
    }
}

bool pattern_make(struct pattern *pattern, uint64_t bytes)
{
    return pattern_make_again(pattern, bytes, random_word() >> 1);
}

bool pattern_make_again(struct pattern *pattern, uint64_t bytes, uint64_t seed)
{
    *pattern = (struct pattern){.seed = seed, .sectors = bytes / SECTOR, .hardware = crc32c_prepare(), .wide = has_avx2()};
    pattern->crcs = malloc(pattern->sectors * sizeof *pattern->crcs);
    if (!pattern->crcs || posix_memalign((void **)&pattern->pool, 4096, pattern->sectors * SECTOR) != 0) {
        pattern->pool = NULL;
        pattern_free(pattern);
        return false;
    }
    uint64_t state = seed;
    for (uint64_t at = 0; at < pattern->sectors * SECTOR; at += sizeof state) {
        const uint64_t word = next_word(&state);
        memcpy(pattern->pool + at, &word, sizeof word);
    }
    for (uint64_t i = 0; i < pattern->sectors; i++)
        pattern->crcs[i] = crc32c(CRC32C_BEGIN, pattern->pool + i * SECTOR, STAMP, pattern->hardware);
    make_basis(pattern, &state);
    return true;
}

void pattern_free(struct pattern *pattern)
{
    free(pattern->pool);
    free(pattern->crcs);
    *pattern = (struct pattern){0};
}

uint64_t pattern_keys(const struct pattern *pattern, uint64_t bytes)
{
    return bytes / SECTOR / pattern->sectors + 1;
}

uint64_t testdata_run(const char *run)
{
    uint64_t hash = random_word();
    for (; *run; run++)
        hash = mix(hash ^ (unsigned char)*run);
    return hash >> 1;
}

static struct key key_of(const struct pattern *pattern, uint64_t number)
{
    struct key key = {{0}, 0};
    for (int i = 0; number != 0; i++, number >>= 1)
        if (number & 1) {
            for (int word = 0; word < 4; word++)
                key.word[word] ^= pattern->basis[i].word[word];
            key.crc ^= pattern->basis[i].crc;
        }
    return key;
}

/* The mask of a word of the stamp: earlier data in reverse order, so that the mask does not occur
 * there. */
static inline uint64_t mask_of(uint64_t data)
{
    return __builtin_bswap64(data);
}

static struct stamp stamp_of(const struct content *content, uint64_t sector)
{
    return (struct stamp){{content->run, (uint64_t)content->file << 32 | content->pass, sector * SECTOR}};
}

/* Inlined into variants for one instruction set each, so that the loops use its widest
 * instructions. The inputs of the loop are copied first, because the compiler must assume that
 * `to` overwrites the rest. */
INLINE void fill_sectors(const struct pattern *pattern, const struct content *content, uint64_t sector, char *to,
                         uint64_t count, bool hardware)
{
    const uint64_t sectors = pattern->sectors;
    uint64_t at = sector % sectors, number = content->first_key + sector / sectors;
    const char *pool = pattern->pool;
    const uint32_t *crcs = pattern->crcs;
    struct key key = key_of(pattern, number);
    struct stamp stamp = stamp_of(content, sector);
    for (; count > 0; count--, to += SECTOR, stamp.word[2] += SECTOR) {
        const char *from = pool + at * SECTOR;
        wide_t mask, part;
        memcpy(&mask, key.word, sizeof mask);
        for (int i = 0; i < SECTOR; i += (int)sizeof part) {
            memcpy(&part, from + i, sizeof part);
            part ^= mask;
            memcpy(to + i, &part, sizeof part);
        }
        uint32_t crc = crcs[at] ^ key.crc;
        for (int i = 0; i < STAMP_WORDS; i++) {
            uint64_t word = stamp.word[i] ^ mask_of(load(from + 8 * i) ^ key.word[i]);
            memcpy(to + STAMP + 8 * i, &word, sizeof word);
            crc = crc32c_word(crc, word, hardware);
        }
        crc = ~crc32c_word(crc, last_word(to), hardware);
        memcpy(to + CRC, &crc, sizeof crc);
        if (++at == sectors) {
            at = 0;
            key = key_of(pattern, ++number);
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void fill_wide(const struct pattern *pattern, const struct content *content,
                                                      uint64_t sector, char *to, uint64_t count)
{
    fill_sectors(pattern, content, sector, to, count, true);
}
#endif

static void fill_whole(const struct pattern *pattern, const struct content *content, uint64_t sector, char *to,
                       uint64_t count)
{
#if defined(__x86_64__)
    if (pattern->wide && pattern->hardware)
        fill_wide(pattern, content, sector, to, count);
    else
#endif
        if (pattern->hardware)
        fill_sectors(pattern, content, sector, to, count, true);
    else
        fill_sectors(pattern, content, sector, to, count, false);
}

/* The number of bytes of [offset, offset + bytes) in a sector that begins before them, or that
 * they do not fill. */
static uint64_t part_of_sector(uint64_t offset, uint64_t bytes)
{
    uint64_t left = SECTOR - offset % SECTOR;
    return left == SECTOR && bytes >= SECTOR ? 0 : left < bytes ? left : bytes;
}

void testdata_fill(const struct pattern *pattern, const struct content *content, uint64_t offset, char *to,
                   uint64_t bytes)
{
    while (bytes > 0) {
        uint64_t step = part_of_sector(offset, bytes);
        if (step > 0) {
            char sector[SECTOR];
            fill_whole(pattern, content, offset / SECTOR, sector, 1);
            memcpy(to, sector + offset % SECTOR, step);
        } else {
            step = bytes / SECTOR * SECTOR;
            fill_whole(pattern, content, offset / SECTOR, to, step / SECTOR);
        }
        offset += step;
        to += step;
        bytes -= step;
    }
}

static void note(struct verification *found, uint64_t *kind, uint64_t offset)
{
    if (verification_errors(found) == 0 || offset < found->first)
        found->first = offset;
    ++*kind;
}

static void judge(const struct content *content, uint64_t sector, const char *from, uint32_t crc,
                  struct verification *found)
{
    struct stamp expected = stamp_of(content, sector), stamp;
    for (int i = 0; i < STAMP_WORDS; i++)
        stamp.word[i] = load(from + STAMP + 8 * i) ^ mask_of(load(from + 8 * i));
    if (crc == stored_crc(from) && memcmp(&stamp, &expected, sizeof stamp) == 0)
        return;
    bool here = stamp.word[0] == expected.word[0] && stamp.word[2] == expected.word[2] &&
                stamp.word[1] >> 32 == expected.word[1] >> 32;
    note(found, crc != stored_crc(from) ? &found->corrupt : here ? &found->stale : &found->misplaced, sector * SECTOR);
}

/* The CRCs of four sectors at once, because each step of one CRC depends on the previous step. */
INLINE void four_crcs(const char *from, bool hardware, uint32_t *crcs)
{
    for (int i = 0; i < 4; i++)
        crcs[i] = CRC32C_BEGIN;
    for (int at = 0; at < LAST; at += 8)
        for (int i = 0; i < 4; i++)
            crcs[i] = crc32c_at(crcs[i], from + i * SECTOR + at, hardware);
    for (int i = 0; i < 4; i++)
        crcs[i] = ~crc32c_word(crcs[i], last_word(from + i * SECTOR), hardware);
}

static uint32_t crc_of(const char *sector, bool hardware)
{
    return ~crc32c_word(crc32c(CRC32C_BEGIN, sector, LAST, hardware), last_word(sector), hardware);
}

static void verify_whole(const struct pattern *pattern, const struct content *content, uint64_t sector,
                         const char *from, uint64_t count, struct verification *found)
{
    for (; count >= 4; count -= 4, sector += 4, from += 4 * SECTOR) {
        uint32_t crcs[4];
        if (pattern->hardware)
            four_crcs(from, true, crcs);
        else
            four_crcs(from, false, crcs);
        for (uint64_t i = 0; i < 4; i++)
            judge(content, sector + i, from + i * SECTOR, crcs[i], found);
    }
    for (; count > 0; count--, sector++, from += SECTOR)
        judge(content, sector, from, crc_of(from, pattern->hardware), found);
}

void testdata_verify(const struct pattern *pattern, const struct content *content, uint64_t offset, const char *from,
                     uint64_t bytes, struct verification *found)
{
    while (bytes > 0) {
        uint64_t step = part_of_sector(offset, bytes);
        if (step > 0) {
            char sector[SECTOR];
            fill_whole(pattern, content, offset / SECTOR, sector, 1);
            if (memcmp(from, sector + offset % SECTOR, step) != 0)
                note(found, &found->corrupt, offset);
        } else {
            step = bytes / SECTOR * SECTOR;
            verify_whole(pattern, content, offset / SECTOR, from, step / SECTOR, found);
        }
        offset += step;
        from += step;
        bytes -= step;
    }
}

void verification_add(struct verification *sum, const struct verification *found)
{
    if (verification_errors(found) == 0)
        return;
    if (verification_errors(sum) == 0 || found->first < sum->first)
        sum->first = found->first;
    sum->corrupt += found->corrupt;
    sum->stale += found->stale;
    sum->misplaced += found->misplaced;
}
