/* Random access: which block of a stream's file each of its operations visits, whether it reads,
 * and what the block contains.
 *
 * Operation n of a stream has place n mod N of pass n / N over the N blocks of the file. Each pass
 * has a permutation of its own, and each of them writes data of its own: a block contains what the
 * last pass wrote that did not read it, or else what it contained before the trial. All of this
 * is computed from the seed, so nothing has to be remembered. */
#ifndef ASSAY_ACCESS_H
#define ASSAY_ACCESS_H

#include "blocks.h"
#include "permutation.h"

#include <stdbool.h>
#include <stdint.h>

/* Of each window of so many operations, an exact share reads. */
#define ACCESS_WINDOW 100

struct access {
    uint64_t blocks; /* of the file */
    uint64_t block;  /* bytes */
    uint64_t key;    /* of the trial's seed and the stream */
    uint64_t read_percent;
    struct content before; /* of the file, before the trial */
    struct content first;  /* what the first pass writes */
    uint64_t keys;         /* of the test data, from one pass to the next */
    struct permutation order; /* of the pass that was visited last */
    uint64_t pass;            /* its number */
};

/* Prepares the first pass; the other fields are set. */
void access_begin(struct access *access);

/* The key of a stream by the trial's seed. */
uint64_t access_key(uint64_t seed, uint64_t stream);

/* Fills a block's offset, direction and content for operation `turn`: what it writes, or must
 * read. `own` is a struct access. */
void access_place(void *own, uint64_t turn, struct block *block);

/* The offset of the block that operation `turn` of the present pass visits. */
uint64_t access_offset(const struct access *access, uint64_t turn);

/* What the block at `offset` contains after the first `turns` operations. */
struct content access_content(const struct access *access, uint64_t turns, uint64_t offset);

/* The number of passes that `turns` operations began. */
static inline uint64_t access_passes(const struct access *access, uint64_t turns)
{
    return (turns + access->blocks - 1) / access->blocks;
}

#endif
