#include "permutation.h"

#include "mix.h"

#include <stdbool.h>

#define ROUNDS 6

struct permutation permutation_of(uint64_t count, uint64_t key)
{
    const unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
    return (struct permutation){.count = count, .key = key, .low = bits / 2, .high = bits - bits / 2};
}

static uint64_t mask_of(unsigned bits)
{
    return (1ull << bits) - 1;
}

/* One round: changes a half by a function of the other, which is its own inverse. */
static void do_round(const struct permutation *permutation, unsigned number, uint64_t *low, uint64_t *high)
{
    const uint64_t key = permutation->key + (number + 1) * MIX_STEP;
    if (number % 2)
        *low ^= mix(key ^ *high) & mask_of(permutation->low);
    else
        *high ^= mix(key ^ *low) & mask_of(permutation->high);
}

static uint64_t walk(const struct permutation *permutation, uint64_t word, bool back)
{
    do {
        uint64_t low = word & mask_of(permutation->low), high = word >> permutation->low;
        for (unsigned i = 0; i < ROUNDS; i++)
            do_round(permutation, back ? ROUNDS - 1 - i : i, &low, &high);
        word = high << permutation->low | low;
    } while (word >= permutation->count);
    return word;
}

uint64_t permutation_at(const struct permutation *permutation, uint64_t index)
{
    return walk(permutation, index, false);
}

uint64_t permutation_index(const struct permutation *permutation, uint64_t number)
{
    return walk(permutation, number, true);
}
