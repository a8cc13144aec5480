/* The spool: events.ndjson, one JSON object per line, appended by one probe. `seq` counts through
 * all segments of the file; `t` is nanoseconds since the segment's start.
 *
 * A line is written by one call; a probe that dies can leave one torn line at the end, which
 * readers ignore and the next segment truncates. If the spool cannot be written, the run cannot
 * be recorded: `failed` is set and the run ends. */
#ifndef ASSAY_SPOOL_H
#define ASSAY_SPOOL_H

#include "json.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_NAME "events.ndjson"

struct spool {
    int file;
    atomic_bool failed;     /* this and `bytes` are read while an errand writes */
    uint64_t seq;           /* of the next event */
    _Atomic uint64_t bytes; /* of the file */
    uint64_t limit;   /* limit at which the run ends; a few more events may exceed it */
    uint64_t started; /* CLOCK_MONOTONIC of the segment's start */
    struct text line;
    pthread_mutex_t mutex; /* held from event_begin to event_end, because errands also write notices */
};

/* Begins an event and returns the text to which its fields are added; event_end writes it. */
struct text *event_begin(struct spool *spool, const char *ev);
void event_end(struct spool *spool);

/* The file's size in bytes; 0 if it cannot be determined. */
uint64_t spool_size(const struct spool *spool);

/* Syncs the spool, so that it survives a power failure. Never called during a measurement. */
void spool_sync(const struct spool *spool);

/* Begins a notice; more fields may be added before event_end. */
struct text *notice_begin(struct spool *spool, const char *code, const char *message);

/* Reports what the run does while nothing is measured: `call` is the call in the kernel, or NULL;
 * `bytes` of `total` bytes are done, and `total` is 0 if unknown. */
void progress_event(struct spool *spool, const char *doing, const char *call, uint64_t bytes, uint64_t total);

/* The attempts of earlier segments, as found in the file. */
struct seen_attempt {
    uint64_t trial;
    uint64_t attempt;
    bool has_result;
    bool disturbed;      /* its result has status suspended or starved */
    uint64_t done_bytes; /* up to its last mark, with those of the attempts that it continues */
    uint64_t done_ns;
    uint64_t begun_ns; /* what the attempts that it continues have done */
};

struct spool_state {
    bool exists;
    uint64_t whole_bytes; /* up to the last newline */
    uint64_t seq;         /* of the next event */
    uint64_t segments;
    uint64_t segment_offset;     /* offset of the newest segment's hello */
    uint64_t segment_generation; /* generation in that hello */
    char end_status[16];         /* empty if the newest segment has no end */
    struct seen_attempt *seen;
    size_t seen_count;
};

/* Reads the spool of a run directory; false with errno if it cannot be read. */
bool spool_scan(int dir, struct spool_state *state);
void spool_state_free(struct spool_state *state);

#endif
