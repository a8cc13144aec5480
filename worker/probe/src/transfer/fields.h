/* A trial of the job `path`: one leg of a path from the sender's source to the receiver's sink. */
#ifndef ASSAY_TRANSFER_FIELDS_H
#define ASSAY_TRANSFER_FIELDS_H

#include "transfer/linkoptions.h"

enum leg { LEG_READ, LEG_WRITE, LEG_TRANSFER };
enum medium { MEDIUM_MEMORY, MEDIUM_DISK };

#define DISK_THREADS_MOST 32

extern const char *const transfer_legs[];
extern const char *const transfer_media[];

struct transfer_trial {
    struct trial common;
    uint64_t leg;
    uint64_t source, sink;
    uint64_t length_bytes; /* 0 if `duration_ms` ends the trial */
    uint64_t duration_ms;
    uint64_t ramp_ms;
    uint64_t block;
    struct link_options link;
    uint64_t disk_threads;
    uint64_t ring_bytes;
    uint64_t source_cache, sink_cache;
    uint64_t integrity;
    char *cpus; /* of this end's threads; NULL leaves them to the kernel */
    uint64_t small_files, small_file_bytes; /* of the set of small files beside the large ones; 0 files without one */
    uint64_t all_blocks; /* of the large files, at both ends; UINT64_MAX if a time ends the trial */
    uint64_t packs;      /* the blocks of small files, which are numbered after those of the large ones */
    uint64_t pack_files; /* of each pack but the last */
};

extern const struct field transfer_fields[];

bool transfer_complete(struct parser *parser, struct trial *trial);

/* Checks the plan's role, token and targets, and clears `total_bytes` of an end without a part. */
bool transfer_check(struct parser *parser, const struct plan *plan, struct trial *trial);

#define TRANSFER_TYPE \
    {.job = "path", .targets = 1, .optional_targets = true, .size = sizeof(struct transfer_trial), .fields = transfer_fields, \
     .complete = transfer_complete, .check = transfer_check}

/* The units of a trial are numbered: the blocks of the large files, then the packs of small ones. */
static inline uint64_t all_units(const struct transfer_trial *trial)
{
    return trial->all_blocks + trial->packs;
}

static inline bool unit_is_pack(const struct transfer_trial *trial, uint64_t number)
{
    return trial->packs > 0 && number >= trial->all_blocks;
}

/* Files in a unit (0 in a block), and its bytes. */
uint64_t unit_files(const struct transfer_trial *trial, uint64_t number);
uint64_t unit_bytes(const struct transfer_trial *trial, uint64_t number);

/* Mixes packs evenly among blocks: the number of the unit that comes at this step of all. */
uint64_t mixed_unit(uint64_t step, uint64_t blocks, uint64_t packs);

static inline uint64_t small_bytes(const struct transfer_trial *trial)
{
    return trial->small_files * trial->small_file_bytes;
}

static inline const struct transfer_trial *transfer_trial(const struct trial *trial)
{
    return (const struct transfer_trial *)trial;
}

static inline bool transfer_sends(const struct transfer_trial *trial)
{
    return trial->link.role == ROLE_SENDER;
}

/* Whether this end has something to do in the leg. */
static inline bool transfer_has_part(const struct transfer_trial *trial)
{
    return trial->leg == LEG_TRANSFER || (trial->leg == LEG_READ) == transfer_sends(trial);
}

/* Whether this end reads or writes its target. */
static inline bool transfer_uses_disk(const struct transfer_trial *trial)
{
    return transfer_has_part(trial) && (transfer_sends(trial) ? trial->source : trial->sink) == MEDIUM_DISK;
}

#endif
