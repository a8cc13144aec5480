/* Checks the content of records and the ledger of a sequence: what is altered, missing, late or found
 * twice is counted as that, for every length. Exits with 1 if something differs, and says what. */
#include "records/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 100
#define SEED 0x1234567890abcdefull

static int failures;

static void expect(uint64_t found, uint64_t wanted, const char *what, uint64_t bytes)
{
    if (found == wanted)
        return;
    failures++;
    printf("records of %" PRIu64 " bytes: %s is %" PRIu64 ", not %" PRIu64 "\n", bytes, what, found, wanted);
}

static char *records_of(const struct origin *origin, uint64_t first, uint64_t count)
{
    char *made = calloc(1, count * origin->recipe->bytes + RECORD_SLACK);
    if (!made)
        abort();
    records_fill(origin, first, count, made);
    return made;
}

/* Each byte of a record that is altered is noticed, and only at that record. */
static void check_alterations(const struct origin *origin, char *data)
{
    const uint64_t bytes = origin->recipe->bytes, step = bytes < 200 ? 1 : bytes / 61;
    for (uint64_t at = 0; at < bytes; at += step) {
        char *byte = &data[COUNT / 2 * bytes + at], kept = *byte;
        *byte = (char)(kept ^ (1 << at % 8));
        expect(records_compare(origin, 7, COUNT, data), COUNT / 2, "intact before an altered byte", bytes);
        *byte = kept;
    }
    char *last = &data[COUNT / 2 * bytes + bytes - 1], kept = *last;
    *last = (char)(kept ^ 0x40);
    expect(records_compare(origin, 7, COUNT, data), COUNT / 2, "intact before an altered last byte", bytes);
    *last = kept;
}

static void check_content(const struct recipe *recipe, uint64_t sender, uint64_t first)
{
    const struct origin origin = origin_make(recipe, sender);
    const uint64_t bytes = recipe->bytes;
    char *data = records_of(&origin, first, COUNT);
    uint64_t number;
    expect(records_compare(&origin, first, COUNT, data), COUNT, "intact", bytes);
    expect(memchr(data, '\0', COUNT * bytes) != NULL, false, "a byte of zero", bytes);
    for (uint64_t i = 0; i < COUNT; i++) {
        expect(record_sender(recipe, data + i * bytes), sender, "the sender", bytes);
        expect(record_number(&origin, data + i * bytes, first + i + 2, &number), true, "a number", bytes);
        expect(number, first + i, "the number", bytes);
    }
    if (first == 7)
        check_alterations(&origin, data);
    free(data);
}

/* Of another attempt, sender or place, a record is none of this one. */
static void check_strangers(const struct recipe *recipe)
{
    struct recipe other;
    uint64_t number;
    if (!recipe_make(&other, recipe->bytes, SEED + 1))
        abort();
    const struct origin origin = origin_make(recipe, 3), foreign = origin_make(&other, 3), neighbor = origin_make(recipe, 4);
    char *data = records_of(&foreign, 0, COUNT), *beside = records_of(&neighbor, 0, COUNT);
    expect(records_compare(&origin, 0, COUNT, data) < COUNT, true, "another seed differs", recipe->bytes);
    expect(records_compare(&origin, 0, COUNT, beside), 0, "intact of another sender", recipe->bytes);
    for (uint64_t i = 0; recipe->bytes >= 20 && i < COUNT; i++)
        expect(record_number(&origin, data + i * recipe->bytes, i, &number), false, "a number of another seed", recipe->bytes);
    recipe_free(&other);
    free(data);
    free(beside);
}

/* Numbers of two digits are all different, and so are the records. */
static void check_permutation(void)
{
    struct recipe recipe;
    static bool seen[32 * 32];
    if (!recipe_make(&recipe, 3, SEED))
        abort();
    const struct origin origin = origin_make(&recipe, 9);
    char *data = records_of(&origin, 0, 32 * 32);
    for (int i = 0; i < 32 * 32; i++)
        seen[(data[3 * i + 1] - '0') * 32 + data[3 * i + 2] - '0'] = true;
    for (int i = 0; i < 32 * 32; i++)
        expect(seen[i], true, "a number in use", 3);
    free(data);
    recipe_free(&recipe);
}

static void move(char *to, const char *data, uint64_t bytes, const uint64_t *order, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + i * bytes, data + order[i] * bytes, bytes);
}

/* 0 to 3, then 8 and 9 (4 to 7 are missing), 5 (late), 8 again, 4 and 7 (late), one altered, 11. */
static void check_ledger(const struct recipe *recipe)
{
    static const uint64_t order[] = {0, 1, 2, 3, 8, 9, 5, 8, 4, 7, 10, 11};
    const uint64_t many = sizeof order / sizeof *order, bytes = recipe->bytes;
    struct ledger *ledger = calloc(1, sizeof *ledger);
    ledger->origin = origin_make(recipe, 1);
    char *data = records_of(&ledger->origin, 0, 12), *read = calloc(1, many * bytes + RECORD_SLACK);
    move(read, data, bytes, order, many);
    read[10 * bytes + bytes / 2] ^= 1; /* number 10 */
    ledger_read(ledger, read, many);
    expect(ledger->intact, 10, "intact", bytes);
    expect(ledger->late, 3, "late", bytes);
    expect(ledger->duplicates, 1, "duplicates", bytes);
    expect(ledger->wrong, 1, "wrong", bytes);
    expect(ledger->end, 12, "end", bytes);
    expect(ledger->missing, 2, "missing", bytes); /* 6 and 10 */
    expect(ledger->gap_count, 2, "gaps", bytes);
    expect(ledger_lost(ledger, 6), 0, "lost of 6", bytes);
    expect(ledger_lost(ledger, 8), 1, "lost of 8", bytes);
    expect(ledger_lost(ledger, 15), 5, "lost of 15", bytes);
    free(data);
    free(read);
    free(ledger);
}

/* Records of two senders, with a hole and a torn one between them. */
static void check_mixture(const struct recipe *recipe)
{
    const uint64_t bytes = recipe->bytes;
    struct ledger *ledgers = calloc(2, sizeof *ledgers);
    char *read = calloc(1, 9 * bytes + RECORD_SLACK);
    uint64_t wrong = 0, torn = 0;
    for (uint64_t sender = 0; sender < 2; sender++) {
        ledgers[sender].origin = origin_make(recipe, sender);
        char *data = records_of(&ledgers[sender].origin, 0, 3);
        memcpy(read + 3 * sender * bytes, data, 3 * bytes);
        memcpy(read + (7 + sender) * bytes, data, bytes / 2);
        free(data);
    }
    expect(ledgers_read(ledgers, 2, read, 9, &wrong, &torn), 6, "read before the hole", bytes);
    expect(ledgers_read(ledgers, 2, read + 7 * bytes, 2, &wrong, &torn), 2, "read after it", bytes);
    expect(ledgers[0].intact + ledgers[1].intact, 6, "intact of both", bytes);
    expect(torn, 2, "torn", bytes);
    expect(wrong, 0, "wrong", bytes);
    free(read);
    free(ledgers);
}

int main(void)
{
    static const uint64_t lengths[] = {40, 41, 1000, 1024, 4096, 65537};
    for (uint64_t i = 1; i < 40 + sizeof lengths / sizeof *lengths; i++) {
        const uint64_t bytes = i < 40 ? i : lengths[i - 40];
        struct recipe recipe;
        if (!recipe_make(&recipe, bytes, SEED))
            abort();
        for (uint64_t sender = 0; sender < 32; sender += 31)
            for (uint64_t first = 0; first < 1ull << 39; first = first ? first << 8 : 7)
                check_content(&recipe, sender, first);
        if (bytes >= 2)
            check_strangers(&recipe);
        if (bytes >= 8) /* an altered shorter one may have the content of a number nearby */
            check_ledger(&recipe);
        if (bytes >= 2)
            check_mixture(&recipe);
        recipe_free(&recipe);
    }
    check_permutation();
    return failures != 0;
}
