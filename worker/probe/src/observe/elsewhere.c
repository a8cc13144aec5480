#include "observe/elsewhere.h"

#include "tree.h"

#include <sys/statvfs.h>

/* Bytes in use on the file system of a directory; -1 if that is unknown. */
static int64_t used_bytes(int directory)
{
    struct statvfs found;
    return fstatvfs(directory, &found) == 0 ? (int64_t)((found.f_blocks - found.f_bfree) * found.f_frsize) : -1;
}

static int64_t allocated_bytes(int directory)
{
    struct tree tree = {0};
    tree_walk(&tree, directory);
    return (int64_t)tree.allocated;
}

/* Called by an errand. */
static bool look(void *argument)
{
    struct observation *observation = argument;
    if (!errand_calls(&observation->attempt->workspace->errand, "statfs"))
        return false;
    observation->used_before = used_bytes(observation->data);
    return true;
}

bool elsewhere_begin(struct observation *observation)
{
    return !observation->attempt->writes ||
           errand_run(&observation->attempt->workspace->errand, ERRAND_PREPARING, 0, look, observation);
}

void elsewhere_end(struct observation *observation)
{
    if (!errand_calls(&observation->attempt->workspace->errand, "statfs"))
        return;
    const int64_t used = used_bytes(observation->data);
    if (used < 0 || observation->used_before < 0)
        return;
    const int64_t own = allocated_bytes(observation->data) + allocated_bytes(observation->scratch);
    const int64_t elsewhere = used - observation->used_before - own;
    observation->elsewhere_bytes = elsewhere > 0 ? elsewhere : 0;
}
