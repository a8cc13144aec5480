/* A file system's device stands on a stack of others, down to the disks. Where a device only
 * forwards its bytes (a partition, a linear volume), whatever the one below moves in addition is a
 * neighbor's. A RAID, a cache or a thin pool multiplies bytes or does not count them: there the sum
 * is cut, and counts the other users of the devices below it instead. */
#include "neighbors.h"

#include <stdio.h>
#include <string.h>

struct stack {
    struct device_names all;  /* the counted devices, and all below them */
    struct device_names cuts; /* of these, those that do not forward their bytes */
};

static void add_term(struct neighbors *neighbors, const char *name, int weight)
{
    size_t at = 0;
    while (at < neighbors->count && strcmp(neighbors->terms[at].name, name) != 0)
        at++;
    if (at == NEIGHBOR_TERMS)
        return;
    if (at == neighbors->count) {
        neighbors->terms[at] = (struct neighbor_term){.file = -1};
        snprintf(neighbors->terms[at].name, sizeof neighbors->terms[at].name, "%.63s", name);
        neighbors->count++;
    }
    neighbors->terms[at].weight += weight;
}

static void build(struct stack *stack, const struct device_names *counted)
{
    *stack = (struct stack){.all = *counted};
    for (size_t i = 0; i < stack->all.count; i++) {
        struct device_names below = {0};
        const char *device = stack->all.list[i];
        blockdev_below(device, &below);
        for (size_t j = 0; j < below.count; j++)
            device_names_add(&stack->all, below.list[j]);
        if (below.count > 0 && !blockdev_forwards(device))
            device_names_add(&stack->cuts, device);
    }
}

/* Adds what loop devices among them are made of: the devices of their files' file systems. A loop
 * device counts as a disk, but the kernel writes its file on behalf of the target. */
static void add_backing(struct device_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        char device[64];
        if (blockdev_backing(names->list[i], device))
            device_names_add(names, device);
        blockdev_below(names->list[i], names);
    }
}

/* Adds the users of a device that the stack does not contain to `users`. */
static void add_other_users(const struct stack *stack, const char *device, struct device_names *users)
{
    struct device_names above = {0};
    blockdev_above(device, &above);
    for (size_t i = 0; i < above.count; i++)
        if (!device_names_have(&stack->all, above.list[i]))
            device_names_add(users, above.list[i]);
}

/* The sum ends above the devices of a RAID, and begins again with its users. */
static void cut(struct neighbors *neighbors, const struct stack *stack, const char *device, struct device_names *others)
{
    struct device_names below = {0}, above = {0};
    blockdev_below(device, &below);
    for (size_t i = 0; i < below.count; i++) {
        if (!device_names_have(&stack->cuts, below.list[i]))
            add_term(neighbors, below.list[i], -1);
        add_other_users(stack, below.list[i], others);
    }
    blockdev_above(device, &above);
    for (size_t i = 0; i < above.count; i++)
        if (device_names_have(&stack->all, above.list[i]) && !device_names_have(&stack->cuts, above.list[i]))
            add_term(neighbors, above.list[i], 1);
    add_other_users(stack, device, others);
}

void neighbors_find(struct neighbors *neighbors, const struct device_names *counted)
{
    static struct stack stack; /* too large for the stack of a thread */
    static struct device_names others;
    *neighbors = (struct neighbors){.known = counted->count > 0};
    others = (struct device_names){0};
    build(&stack, counted);
    neighbors->stack = stack.all;
    add_backing(&neighbors->stack);
    for (size_t i = 0; i < counted->count; i++) {
        disks_below(counted->list[i], &neighbors->disks);
        if (!device_names_have(&stack.cuts, counted->list[i]))
            add_term(neighbors, counted->list[i], -1);
    }
    for (size_t i = 0; i < neighbors->disks.count; i++)
        add_term(neighbors, neighbors->disks.list[i].name, 1);
    for (size_t i = 0; i < stack.cuts.count; i++)
        cut(neighbors, &stack, stack.cuts.list[i], &others);
    for (size_t i = 0; i < others.count; i++)
        add_term(neighbors, others.list[i], 1);
    size_t kept = 0;
    for (size_t i = 0; i < neighbors->count; i++) {
        if (neighbors->terms[i].weight == 0)
            continue;
        neighbors->known = neighbors->known && blockdev_number(neighbors->terms[i].name, "queue/iostats") != 0;
        neighbors->terms[kept++] = neighbors->terms[i];
    }
    neighbors->count = kept;
}
