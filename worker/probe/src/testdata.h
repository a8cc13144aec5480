/* Test data: what the probe writes and what a reader must find. A file's content is a function of
 * its position. Sector s of 512 bytes is the random sector s mod N of a pool of N, XORed with a
 * key of 32 bytes that changes each time the pool is used up, so no data repeats, however much is
 * written. Its bytes 480 to 503 contain the stamp (run; file and pass; offset), XORed with a mask
 * computed from its first 24 bytes, because equal stamps could be compressed; its last four bytes
 * contain the CRC32C of the whole sector, computed with zeros in their place.
 *
 * CRC32C is linear: the contributions of pool and key are computed in advance, so generating a
 * sector takes one XOR of its bytes and four steps of the CRC. */
#ifndef ASSAY_TESTDATA_H
#define ASSAY_TESTDATA_H

#include <stdbool.h>
#include <stdint.h>

#define SECTOR 512
#define KEYS 64

struct key {
    uint64_t word[4];
    uint32_t crc; /* of 480 bytes that repeat this key, begun with 0 */
};

struct pattern {
    char *pool; /* read by all threads, written by none */
    uint32_t *crcs; /* of each pool sector's first 480 bytes, begun with CRC32C_BEGIN */
    uint64_t seed;    /* of pool and keys, of 63 bits */
    uint64_t sectors;
    struct key basis[KEYS]; /* key number n is the XOR of the keys of the bits set in n */
    bool hardware; /* the processor's instruction for CRC32C */
    bool wide;     /* AVX2 */
};

/* The content of a file. */
struct content {
    uint64_t run;
    uint32_t file;
    uint32_t pass; /* increases each time that files are written in a run */
    uint64_t first_key;
};

/* The errors found by verification, in sectors. */
struct verification {
    uint64_t corrupt;   /* content and CRC differ */
    uint64_t stale;     /* intact, but of another pass over the file */
    uint64_t misplaced; /* intact, but of another offset, file or run */
    uint64_t first;     /* offset of the first of them */
};

/* Creates a pool of `bytes` from a seed by the kernel's random numbers; false with errno. */
bool pattern_make(struct pattern *pattern, uint64_t bytes);

/* Creates the pool of another process from its seed; false with errno. */
bool pattern_make_again(struct pattern *pattern, uint64_t bytes, uint64_t seed);
void pattern_free(struct pattern *pattern);

/* The number of keys used by a file of this many bytes, from its content's `first_key` on. */
uint64_t pattern_keys(const struct pattern *pattern, uint64_t bytes);

/* A number of 63 bits that is unique to this segment of this run, for its stamps. */
uint64_t testdata_run(const char *run);

/* Generates the file's bytes [offset, offset + bytes), which may begin and end inside a sector. */
void testdata_fill(const struct pattern *pattern, const struct content *content, uint64_t offset, char *to,
                   uint64_t bytes);

/* Compares every byte of [offset, offset + bytes) with the expected content and adds to `found`:
 * whole sectors by stamp and CRC, parts of sectors at either end byte by byte. */
void testdata_verify(const struct pattern *pattern, const struct content *content, uint64_t offset, const char *from,
                     uint64_t bytes, struct verification *found);

static inline uint64_t verification_errors(const struct verification *found)
{
    return found->corrupt + found->stale + found->misplaced;
}

/* Adds the errors found by another thread. */
void verification_add(struct verification *sum, const struct verification *found);

#endif
