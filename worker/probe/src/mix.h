/* SplitMix64 (Steele, Lea, Flood 2014): spreads each bit of a word over all of its bits. */
#ifndef ASSAY_MIX_H
#define ASSAY_MIX_H

#include <stdint.h>

/* The generator's increment: distinct multiples of it are distinct, well-spread words. */
#define MIX_STEP 0x9e3779b97f4a7c15ull

static inline uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
    return word ^ (word >> 31);
}

#endif
