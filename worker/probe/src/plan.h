/* The plan: what one run is to do, as the worker sends it on standard input. One record a
 * line, `key=value` separated by single spaces, values percent-encoded; contract/plan.md
 * lists the fields. Nothing is guessed: an unknown, missing, repeated or out-of-range
 * field refuses the whole plan with one line that names it. */
#ifndef ASSAY_PLAN_H
#define ASSAY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_WRITE, KIND_READ };
enum layout { LAYOUT_FRESH, LAYOUT_PREALLOCATED, LAYOUT_OVERWRITE };
enum cache { CACHE_PAGE, CACHE_DIRECT };
enum open_mode { OPEN_RW, OPEN_RWD, OPEN_RWS };

extern const char *const kind_names[];
extern const char *const layout_names[];
extern const char *const cache_names[];
extern const char *const open_names[];

/* A trial is tried again after an attempt that was suspended or starved, but not without end. */
#define DISTURBED_MOST 3

struct trial {
    uint64_t id;
    uint64_t attempt;
    uint64_t disturbed; /* attempts so far that were suspended or starved */
    uint64_t kind;
    uint64_t file_size_asked; /* bytes a file, as the plan says */
    uint64_t file_size;       /* rounded up to whole blocks */
    uint64_t block;
    uint64_t threads;
    uint64_t files; /* asked files, at most the threads */
    uint64_t layout;
    uint64_t cache;
    uint64_t open;
    uint64_t timeout_ms;
    uint64_t sync_timeout_ms;
};

struct plan {
    char *run;
    char *group; /* NULL: the run alone */
    char *target;
    char *fs_type; /* NULL where the plan does not say */
    char *fs_source;
    char *fs_uuid;
    uint64_t generation;
    uint64_t watch_ms;
    uint64_t sample_ms;
    uint64_t reserve_bytes;
    uint64_t max_buffer_bytes; /* 0: a tenth of the available memory */
    uint64_t hang_ms;          /* a call that takes longer is given up */
    uint64_t spool_bytes;      /* the spool's limit */
    uint64_t pool_bytes;
    uint64_t read_bytes; /* of the spool, by the worker */
    uint64_t read_events;
    struct trial *trials;
    size_t count;
};

/* Fills `plan` from `length` bytes; on failure writes one line to `error` (what, why,
 * remedy). The plan is freed by plan_free in both cases. */
bool plan_parse(const char *text, size_t length, struct plan *plan, char *error, size_t error_size);
void plan_free(struct plan *plan);

static inline uint64_t trial_bytes(const struct trial *trial)
{
    return trial->files * trial->file_size;
}

#endif
