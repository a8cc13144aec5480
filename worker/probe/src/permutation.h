/* A permutation of the numbers below a count, computed from a key in constant memory.
 *
 * A Feistel network permutes the words of as many bits as the count needs; a word that is not
 * below the count goes through it again until it is (cycle walking: Black, Rogaway, "Ciphers with
 * arbitrary finite domains", 2002). More than half of the words are below it, so that takes
 * less than two walks on average. */
#ifndef ASSAY_PERMUTATION_H
#define ASSAY_PERMUTATION_H

#include <stdint.h>

struct permutation {
    uint64_t count;
    uint64_t key;
    unsigned low, high; /* bits of the network's halves */
};

/* `count` is 1 to 2^63. */
struct permutation permutation_of(uint64_t count, uint64_t key);

/* The number at `index`, and the index of a number; both are below the count. */
uint64_t permutation_at(const struct permutation *permutation, uint64_t index);
uint64_t permutation_index(const struct permutation *permutation, uint64_t number);

#endif
