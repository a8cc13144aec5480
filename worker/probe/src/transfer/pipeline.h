/* The pipeline of one end: one stage or two, with a ring between them. A stage's threads move
 * blocks; those of the last stage count them in their meters, so that a block counts once.
 *
 * Data in memory has no stage of its own: a stream sends from, or receives into, its own buffers
 * without handing them to another thread. */
#ifndef ASSAY_TRANSFER_PIPELINE_H
#define ASSAY_TRANSFER_PIPELINE_H

#include "attempt.h"
#include "transfer/fields.h"
#include "transfer/link.h"
#include "transfer/placement.h"
#include "transfer/problem.h"
#include "transfer/ring.h"
#include "transfer/smallfiles.h"
#include "transfer/stream.h"

enum stage_kind { STAGE_READ, STAGE_FILL, STAGE_SEND, STAGE_RECEIVE, STAGE_WRITE };
extern const char *const stage_names[];
extern const char *const stage_calls[];

struct disk_file {
    int file; /* -1 before it is open */
    struct content content;
};

struct transfer;

/* A thread's part of the work. Its counters are read by the sampler. */
struct worker {
    _Alignas(METER_LINE) struct transfer *transfer;
    enum stage_kind kind;
    uint64_t index; /* in its stage */
    bool counts;    /* in the last stage */
    char *memory;   /* its own buffers, without a ring */
    uint64_t windows, window;
    _Atomic uint64_t bytes, call_ns, full_ns, empty_ns;
    /* read after the thread's work */
    uint64_t taken;  /* blocks of its file and packs so far */
    uint64_t blocks, digest, peer_digest, crc_errors, ramp_bytes, ramp_ns;
    uint64_t looked_ns;  /* when it last looked on which CPU it runs */
    cpu_set_t allowed, used; /* CPUs on which it may run, and on which it was seen */
    bool finished, met; /* met: the other end's digest is known */
};

/* The state of an attempt. */
struct transfer {
    const struct transfer_trial *trial;
    const struct pattern *pattern;
    struct link link;
    struct ring ring;
    struct disk_file files[DISK_THREADS_MOST];
    struct small_files small_files;
    struct worker *workers;
    uint64_t count; /* of the workers */
    enum stage_kind stages[2];
    uint64_t stage_threads[2], stage_count;
    char *memory; /* of the workers without a ring */
    uint64_t memory_bytes;
    struct content content; /* of generated data */
    bool generates; /* each block sent from memory has data of its own, because it ends on a disk */
    bool hardware; /* the processor's instruction for CRC32C */
    _Alignas(METER_LINE) _Atomic uint64_t next; /* number of the next block from memory */
    _Alignas(METER_LINE) struct problem problem; /* of the streams */
    uint64_t started_cpu_ns;
    _Atomic uint64_t cpu_ns;
    cpu_set_t cpus; /* of the workers, if the trial names them */
    struct placement placement;
};

/* Decides the stages of this end and allocates their memory; false with a failure. */
bool pipeline_make(struct transfer *transfer, struct attempt *attempt);
void pipeline_free(struct transfer *transfer);

/* The functions of the pool's task; a thread's `own` is its worker. */
void pipeline_begin(struct threadpool *pool);
int pipeline_prepare(struct thread *thread);
void pipeline_work(struct thread *thread);
void pipeline_complete(struct thread *thread);

#endif
