/* A directory that another program fills: its files are found, counted and removed by directory
 * descriptors, without following links and without leaving its file system. */
#ifndef ASSAY_TREE_H
#define ASSAY_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define TREE_DEPTH 32

/* What is found in a directory and those in it. */
struct tree {
    /* Called for each entry that is not a directory; `path` is relative to the tree. NULL: only sums. */
    void (*visit)(struct tree *tree, int parent, const char *name, const char *path, const struct stat *found);
    void *own;
    uint64_t files, bytes, allocated; /* of regular files */
    uint64_t others;                  /* entries that are neither files nor directories, and directories too deep */
};

/* Walks an open directory; what disappears meanwhile is skipped. */
void tree_walk(struct tree *tree, int directory);

/* Removes a directory with everything in it; `calls` is called before each call that may take long, or
 * NULL. False with errno if something remains. `bytes` is increased by what was allocated. */
bool tree_remove(int parent, const char *name, void (*calls)(void *own, const char *call), void *own, uint64_t *bytes);

#endif
