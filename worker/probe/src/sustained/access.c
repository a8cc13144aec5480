#include "sustained/access.h"

#include "mix.h"

/* The permutations of passes and of windows must differ. */
#define PASSES 1
#define WINDOWS 2

uint64_t access_key(uint64_t seed, uint64_t stream)
{
    return mix(mix(seed + MIX_STEP) + stream * MIX_STEP);
}

static struct permutation order_of(const struct access *access, uint64_t pass)
{
    return permutation_of(access->blocks, mix(access->key + PASSES) ^ mix(pass * MIX_STEP));
}

static struct permutation choice_of(const struct access *access, uint64_t window)
{
    return permutation_of(ACCESS_WINDOW, mix(access->key + WINDOWS) ^ mix(window * MIX_STEP));
}

void access_begin(struct access *access)
{
    access->pass = 0;
    access->order = order_of(access, 0);
}

static bool is_read(const struct access *access, uint64_t turn)
{
    if (access->read_percent == 0 || access->read_percent == 100)
        return access->read_percent == 100;
    const struct permutation choice = choice_of(access, turn / ACCESS_WINDOW);
    return permutation_at(&choice, turn % ACCESS_WINDOW) < access->read_percent;
}

static struct content written_by(const struct access *access, uint64_t pass)
{
    struct content content = access->first;
    content.pass += (uint32_t)pass;
    content.first_key += pass * access->keys;
    return content;
}

/* Looks at the passes before `pass`, the last one first. */
static struct content content_before(const struct access *access, uint64_t pass, uint64_t number)
{
    while (access->read_percent < 100 && pass > 0) {
        const struct permutation order = order_of(access, --pass);
        if (!is_read(access, pass * access->blocks + permutation_index(&order, number)))
            return written_by(access, pass);
    }
    return access->before;
}

uint64_t access_offset(const struct access *access, uint64_t turn)
{
    return permutation_at(&access->order, turn % access->blocks) * access->block;
}

void access_place(void *own, uint64_t turn, struct block *block)
{
    struct access *access = own;
    const uint64_t pass = turn / access->blocks;
    if (pass != access->pass) {
        access->pass = pass;
        access->order = order_of(access, pass);
    }
    block->offset = access_offset(access, turn);
    block->reads = is_read(access, turn);
    block->content = block->reads ? content_before(access, pass, block->offset / access->block) : written_by(access, pass);
}

struct content access_content(const struct access *access, uint64_t turns, uint64_t offset)
{
    const uint64_t number = offset / access->block, pass = turns / access->blocks;
    const struct permutation order = order_of(access, pass);
    const uint64_t index = permutation_index(&order, number), turn = pass * access->blocks + index;
    return turn < turns && !is_read(access, turn) ? written_by(access, pass) : content_before(access, pass, number);
}
