/* Permutations of all small sizes and some large ones, and random access against a model that
 * remembers what each block contains. */
#include "sustained/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 600
#define TRIED 20000

static int failures;

static void expect(bool good, const char *what, uint64_t first, uint64_t second)
{
    if (!good && failures++ < 20)
        printf("%s (%" PRIu64 ", %" PRIu64 ")\n", what, first, second);
}

/* Each number once, and back to its index. */
static void check_permutation(uint64_t count, uint64_t key)
{
    const struct permutation permutation = permutation_of(count, key);
    char *seen = calloc(count, 1);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = permutation_at(&permutation, i);
        expect(number < count && !seen[number], "a number is out of range or came twice", count, i);
        if (number < count)
            seen[number] = 1;
        expect(permutation_index(&permutation, number) == i, "a number leads to another index", count, i);
    }
    free(seen);
}

/* Too large to go through: a part of it, and its inverse. */
static void check_large(uint64_t count)
{
    const struct permutation permutation = permutation_of(count, count);
    for (uint64_t i = 0; i < TRIED; i++) {
        const uint64_t index = i * (count / TRIED), number = permutation_at(&permutation, index);
        expect(number < count, "a number is out of range", count, index);
        expect(permutation_index(&permutation, number) == index, "a number leads to another index", count, index);
    }
}

/* How often the number after i is in each tenth of the range: no order is left. */
static void check_spread(uint64_t count)
{
    const struct permutation permutation = permutation_of(count, 7);
    uint64_t tenths[10][10] = {{0}};
    const uint64_t expected = count / 100;
    for (uint64_t i = 0; i + 1 < count; i++)
        tenths[permutation_at(&permutation, i) * 10 / count][permutation_at(&permutation, i + 1) * 10 / count]++;
    for (int i = 0; i < 100; i++)
        expect(tenths[i / 10][i % 10] > expected * 8 / 10 && tenths[i / 10][i % 10] < expected * 12 / 10,
               "neighbors are not spread evenly", (uint64_t)i, tenths[i / 10][i % 10]);
}

static struct access make_access(uint64_t blocks, uint64_t read_percent, uint64_t seed)
{
    struct access access = {
        .blocks = blocks,
        .block = 4096,
        .key = access_key(seed, 0),
        .read_percent = read_percent,
        .before = {.run = 1, .pass = 1, .first_key = 0},
        .first = {.run = 1, .pass = 2, .first_key = 1000},
        .keys = 10,
    };
    access_begin(&access);
    return access;
}

static bool same(const struct content *one, const struct content *other)
{
    return one->run == other->run && one->pass == other->pass && one->first_key == other->first_key;
}

/* Goes through some passes, and compares each read, and each state of the file, with the model. */
static void check_access(uint64_t blocks, uint64_t read_percent, uint64_t seed)
{
    struct access access = make_access(blocks, read_percent, seed);
    struct content *model = calloc(blocks, sizeof *model);
    char *visited = calloc(blocks, 1);
    uint64_t reads = 0;
    const uint64_t turns = 5 * blocks + blocks / 2;
    for (uint64_t i = 0; i < blocks; i++)
        model[i] = access.before;
    for (uint64_t turn = 0; turn < turns; turn++) {
        struct block block = {0};
        if (turn % blocks == 0)
            memset(visited, 0, blocks);
        if (turn % ACCESS_WINDOW == 0)
            reads = 0;
        access_place(&access, turn, &block);
        const uint64_t number = block.offset / access.block;
        expect(number < blocks && !visited[number], "a block was visited twice in a pass", blocks, turn);
        visited[number] = 1;
        if (block.reads)
            expect(same(&block.content, &model[number]), "a read expects what was not written last", read_percent, turn);
        else
            model[number] = block.content;
        reads += block.reads;
        if (turn % ACCESS_WINDOW == ACCESS_WINDOW - 1)
            expect(reads == read_percent, "a window has another share of reads", read_percent, reads);
        if (turn % (blocks / 3 + 1) == 0)
            for (uint64_t i = 0; i < blocks; i++) {
                const struct content content = access_content(&access, turn + 1, i * access.block);
                expect(same(&content, &model[i]), "a block has other content after some operations", turn, i);
            }
    }
    expect(access_passes(&access, turns) == (blocks == 1 ? 5 : 6), "passes are counted wrong", blocks, access_passes(&access, turns));
    free(model);
    free(visited);
}

/* The order and the choice of reads depend on seed, stream and pass, and on nothing else. */
static void check_keys(void)
{
    struct access access = make_access(1000, 50, 3), again = make_access(1000, 50, 3), other = make_access(1000, 50, 4);
    uint64_t same_place = 0, same_pass = 0;
    for (uint64_t turn = 0; turn < 1000; turn++) {
        struct block block, repeated, changed, later;
        access_place(&again, turn + 1000, &later);
        access_place(&again, turn, &repeated);
        access_place(&access, turn, &block);
        access_place(&other, turn, &changed);
        expect(block.offset == repeated.offset && block.reads == repeated.reads, "a seed does not repeat its order", turn, 0);
        same_place += block.offset == changed.offset;
        same_pass += block.offset == later.offset;
    }
    expect(same_place < 20, "another seed has the same order", same_place, 0);
    expect(same_pass < 20, "another pass has the same order", same_pass, 0);
    expect(access_key(3, 0) != access_key(3, 1), "two streams have the same order", 0, 1);
}

int main(void)
{
    static const uint64_t percents[] = {0, 1, 30, 50, 70, 99, 100};
    for (uint64_t count = 1; count <= SMALL; count++)
        check_permutation(count, count * 3);
    check_permutation(65536, 1);
    check_permutation(65537, 2);
    check_large(1ull << 40);
    check_large((1ull << 51) + 1);
    check_spread(100000);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            check_access(1, percents[i], seed);
            check_access(257, percents[i], seed);
        }
    check_keys();
    return failures > 0;
}
