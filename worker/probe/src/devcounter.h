/* The counter of the bytes that a target's file system moves: of the block device below it, of
 * the members or paths that it uses, or of the NFS client. If there is none, or it may not
 * count, `reason` explains why. */
#ifndef ASSAY_DEVCOUNTER_H
#define ASSAY_DEVCOUNTER_H

#include "json.h"
#include "mounts.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVCOUNTER_MEMBERS 64

/* `server`: bytes that the NFS server was sent and sent; nothing says what its medium did. */
enum counter_source { COUNTER_NONE, COUNTER_DEVICE, COUNTER_MEMBERS, COUNTER_PATHS, COUNTER_SERVER };

struct device_bytes {
    uint64_t read, written, busy_ns;
};

struct devcounter {
    enum counter_source source;
    const char *reason; /* why there is none, or (iostats_off) why it may stand still; NULL when it counts */
    int copies;         /* of each byte that the members hold together, as mirrors do */
    int count;
    char names[DEVCOUNTER_MEMBERS][64];
    int files[DEVCOUNTER_MEMBERS]; /* each one's statistics; -1 where not open */
    char mount_point[4096];        /* of an NFS mount */
    int mountstats;
};

/* No counter, since the target's mount is not known. */
void devcounter_none(struct devcounter *counter);

/* Finds what counts for a mount; opens nothing. */
void devcounter_find(struct devcounter *counter, const struct mount *mount);

/* Opens what `devcounter_find` found; without success there is no counter, and `reason` says so. */
void devcounter_open(struct devcounter *counter);
void devcounter_close(struct devcounter *counter);

/* Looks again whether the kernel counts: an administrator may switch that off at any time. */
void devcounter_check(struct devcounter *counter);

/* Whether the counter has a busy time: a sum over several devices has none. */
bool devcounter_has_busy(const struct devcounter *counter);

/* The bytes since boot or mount; false when they cannot be read. */
bool devcounter_read(const struct devcounter *counter, struct device_bytes *bytes);

/* Writes the field `counter`. */
void devcounter_field(struct text *text, const struct devcounter *counter);

#endif
