#include "records/record.h"

#include "mix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MOST 8
#define DIGIT_BITS 5
#define LINE_BYTES 10 /* records of so many bytes or more end with a newline */
#define CYCLE 7       /* a record of one byte repeats after so many */
#define ZEROS 0x3030303030303030ull
#define FIVES 0x1f1f1f1f1f1f1f1full
#define TOGETHER 32
#define REACH_MOST (1ull << 20)

bool recipe_make(struct recipe *recipe, uint64_t bytes, uint64_t seed)
{
    *recipe = (struct recipe){.bytes = bytes, .seed = seed, .line = bytes >= LINE_BYTES};
    const uint64_t rest = bytes - 1 - recipe->line;
    recipe->digits = bytes == 1 ? 0 : rest < DIGITS_MOST ? rest : DIGITS_MOST;
    recipe->filler = rest - recipe->digits;
    const uint64_t words = recipe->filler / 8 + 1;
    recipe->pool = malloc(words * sizeof *recipe->pool);
    if (!recipe->pool) {
        errno = ENOMEM;
        return false;
    }
    for (uint64_t i = 0; i < words; i++)
        recipe->pool[i] = mix(seed + (i + 1) * MIX_STEP);
    return true;
}

void recipe_free(struct recipe *recipe)
{
    free(recipe->pool);
    recipe->pool = NULL;
}

/* The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the bits that are
 * right, of which three are at the start. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t found = odd;
    for (int step = 0; step < 5; step++)
        found *= 2 - odd * found;
    return found;
}

struct origin origin_make(const struct recipe *recipe, uint64_t sender)
{
    const uint64_t key = mix(recipe->seed ^ mix(sender + 1));
    struct origin origin = {.recipe = recipe, .sender = sender, .offset = mix(key + 1), .key = mix(key + 2)};
    for (int i = 0; i < 2; i++) {
        origin.factors[i] = mix(key + 3 + (uint64_t)i) | 1;
        origin.inverses[i] = inverse(origin.factors[i]);
    }
    return origin;
}

static uint64_t mask_of(uint64_t digits)
{
    return (1ull << digits * DIGIT_BITS) - 1;
}

/* A permutation of the numbers of so many bits: steps that can each be undone. */
static inline uint64_t permute(const struct origin *origin, uint64_t number, uint64_t mask, unsigned shift)
{
    uint64_t word = (number + origin->offset) * origin->factors[0] & mask;
    word ^= word >> shift;
    return word * origin->factors[1] & mask;
}

/* Half of the bits, rounded up: then shifting twice leaves nothing, and the step undoes itself. */
static unsigned shift_of(uint64_t digits)
{
    return (unsigned)(digits * DIGIT_BITS + 1) / 2;
}

static uint64_t unpermute(const struct origin *origin, uint64_t word)
{
    const uint64_t digits = origin->recipe->digits, mask = mask_of(digits);
    word = word * origin->inverses[1] & mask;
    word ^= word >> shift_of(digits);
    return (word * origin->inverses[0] - origin->offset) & mask;
}

/* The digits of a number of 40 bits, a byte each, least first. */
static inline uint64_t digits_of(uint64_t word)
{
    word = (word & 0xfffff) | (word & 0xfffff00000) << 12;
    word = (word & 0x000003ff000003ff) | (word & 0x000ffc00000ffc00) << 6;
    word = (word & 0x001f001f001f001f) | (word & 0x03e003e003e003e0) << 3;
    return word + ZEROS;
}

static inline uint64_t load(const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline void store(char *to, uint64_t word)
{
    memcpy(to, &word, sizeof word);
}

static inline char tiny(const struct origin *origin, uint64_t number)
{
    return (char)(origin->sender << 3 | (1 + number % CYCLE));
}

static inline uint64_t filler_key(const struct origin *origin, uint64_t number)
{
    return mix(origin->key + number * MIX_STEP);
}

static inline uint64_t filler_word(uint64_t pool, uint64_t key)
{
    return ((pool ^ key) & FIVES) + ZEROS;
}

/* Each record overwrites the slack of the one before. */
void records_fill(const struct origin *origin, uint64_t first, uint64_t count, char *to)
{
    const struct recipe *recipe = origin->recipe;
    const uint64_t bytes = recipe->bytes, mask = mask_of(recipe->digits), words = (recipe->filler + 7) / 8;
    const unsigned shift = shift_of(recipe->digits);
    const char name = (char)('0' + origin->sender);
    if (bytes == 1) {
        for (uint64_t i = 0; i < count; i++)
            to[i] = tiny(origin, first + i);
        return;
    }
    for (uint64_t i = 0; i < count; i++, to += bytes) {
        to[0] = name;
        store(to + 1, digits_of(permute(origin, first + i, mask, shift)));
        if (words > 0) {
            const uint64_t key = filler_key(origin, first + i);
            for (uint64_t word = 0; word < words; word++)
                store(to + 1 + DIGITS_MOST + 8 * word, filler_word(recipe->pool[word], key));
        }
        if (recipe->line)
            to[bytes - 1] = '\n';
    }
}

/* The bits of a word's first bytes. */
static inline uint64_t first_bytes(uint64_t bytes)
{
    return bytes >= 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

/* The bits in which a record differs from the sender's record of this number. */
static inline uint64_t difference(const struct origin *origin, uint64_t number, const char *from)
{
    const struct recipe *recipe = origin->recipe;
    const uint64_t words = recipe->filler / 8, rest = recipe->filler % 8;
    if (recipe->bytes == 1)
        return (unsigned char)(from[0] ^ tiny(origin, number));
    uint64_t differs = (unsigned char)(from[0] ^ (char)('0' + origin->sender));
    const uint64_t digits = digits_of(permute(origin, number, mask_of(recipe->digits), shift_of(recipe->digits)));
    differs |= (load(from + 1) ^ digits) & first_bytes(recipe->digits);
    if (recipe->line)
        differs |= (unsigned char)(from[recipe->bytes - 1] ^ '\n');
    if (recipe->filler == 0)
        return differs;
    const uint64_t key = filler_key(origin, number);
    const char *filler = from + 1 + DIGITS_MOST;
    for (uint64_t word = 0; word < words; word++)
        differs |= load(filler + 8 * word) ^ filler_word(recipe->pool[word], key);
    return differs | ((load(filler + 8 * words) ^ filler_word(recipe->pool[words], key)) & first_bytes(rest));
}

uint64_t records_compare(const struct origin *origin, uint64_t first, uint64_t count, const char *from)
{
    const uint64_t bytes = origin->recipe->bytes;
    uint64_t done = 0;
    for (uint64_t some = 1; done + some <= count; done += some, some = some < TOGETHER ? 2 * some : some) {
        uint64_t differs = 0; /* without a branch for each record */
        for (uint64_t i = 0; i < some; i++)
            differs |= difference(origin, first + done + i, from + (done + i) * bytes);
        if (differs)
            break;
    }
    while (done < count && difference(origin, first + done, from + done * bytes) == 0)
        done++;
    return done;
}

/* The number that is `value` modulo `modulus` and nearest to `near`. */
static uint64_t nearest(uint64_t value, uint64_t modulus, uint64_t near)
{
    const uint64_t ahead = (value + modulus - near % modulus) % modulus;
    return ahead <= modulus / 2 || near + ahead < modulus ? near + ahead : near + ahead - modulus;
}

bool record_number(const struct origin *origin, const char *record, uint64_t near, uint64_t *number)
{
    const uint64_t digits = origin->recipe->digits;
    if (digits == 0) {
        const unsigned char value = (unsigned char)record[0] & 7;
        *number = nearest(value - 1ull, CYCLE, near);
        return value > 0 && difference(origin, *number, record) == 0;
    }
    uint64_t word = 0;
    for (uint64_t i = 0; i < digits; i++)
        word |= (uint64_t)(((unsigned char)record[1 + i] - '0') & 0x1f) << i * DIGIT_BITS;
    *number = nearest(unpermute(origin, word), mask_of(digits) + 1, near);
    return difference(origin, *number, record) == 0;
}

uint64_t record_reach(const struct recipe *recipe)
{
    const uint64_t share = recipe->digits ? (mask_of(recipe->digits) + 1) / 64 : 1;
    return share == 0 ? 1 : share < REACH_MOST ? share : REACH_MOST;
}

uint64_t record_sender(const struct recipe *recipe, const char *record)
{
    const unsigned char first = (unsigned char)record[0];
    return recipe->bytes == 1 ? first >> 3 : (uint64_t)(first - '0') & 0xff;
}
