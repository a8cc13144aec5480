/* The counter of the bytes that a target's file system transfers: of the block device below it,
 * of the members or paths that it uses, or of the NFS client. If there is none, or it may not
 * count, `reason` explains why. */
#ifndef ASSAY_DEVCOUNTER_H
#define ASSAY_DEVCOUNTER_H

#include "neighbors.h"
#include "json.h"
#include "mounts.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVCOUNTER_MEMBERS 64

/* `server`: bytes that the NFS server received and sent, which says nothing about its storage. */
enum counter_source { COUNTER_NONE, COUNTER_DEVICE, COUNTER_MEMBERS, COUNTER_PATHS, COUNTER_SERVER };

/* `neighbor_*` are the bytes on the same disks that the counter does not contain. */
struct device_bytes {
    uint64_t read, written, busy_ns, neighbor_read, neighbor_written;
};

struct neighbor_bytes {
    uint64_t read, written;
};

struct devcounter {
    enum counter_source source;
    const char *reason; /* why there is none, or (iostats_off) why it may not change; NULL if it counts */
    int copies;         /* number of copies of each byte on the members, as for mirrors */
    int count;
    char names[DEVCOUNTER_MEMBERS][64];
    int files[DEVCOUNTER_MEMBERS]; /* each one's statistics; -1 where not open */
    char mount_point[4096];        /* of an NFS mount */
    int mountstats;
    struct neighbors neighbors;
};

/* Sets no counter, because the target's mount is unknown. */
void devcounter_none(struct devcounter *counter);

/* Finds the counter of a mount, without opening it. */
void devcounter_find(struct devcounter *counter, const struct mount *mount);

/* Opens the counter that `devcounter_find` found; on failure there is no counter, and `reason` is
 * set. */
void devcounter_open(struct devcounter *counter);
void devcounter_close(struct devcounter *counter);

/* Checks again whether the kernel counts: an administrator may disable that at any time. */
void devcounter_check(struct devcounter *counter);

/* Whether the counter has a busy time: a sum over several devices has none. */
bool devcounter_has_busy(const struct devcounter *counter);

/* Whether the bytes of neighbors on the same disks are known. */
bool devcounter_has_neighbors(const struct devcounter *counter);

/* The bytes since boot or mount; false when they cannot be read. */
bool devcounter_read(const struct devcounter *counter, struct device_bytes *bytes);

/* The bytes of neighbors between two readings; 0 if their sum stepped back, because its counters are
 * not read at the same moment. */
struct neighbor_bytes devcounter_neighbors(const struct device_bytes *before, const struct device_bytes *after);

/* Writes the field `counter`. */
void devcounter_field(struct text *text, const struct devcounter *counter);

#endif
