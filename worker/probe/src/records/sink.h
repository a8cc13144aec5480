/* The receiver's sink: one file, into which its threads put the records of all senders, or memory.
 *
 * A thread claims a range of the file and writes its records there, so that they lie in whole
 * frames, whichever thread is faster. Threads that wait for a sync share one: a sync serves all that
 * had written before it began. */
#ifndef ASSAY_RECORDS_SINK_H
#define ASSAY_RECORDS_SINK_H

#include "histogram.h"
#include "records/fields.h"
#include "records/record.h"
#include "threadpool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sink {
    const struct records_trial *trial;
    int file; /* -1 without one */
    _Alignas(METER_LINE) _Atomic uint64_t bytes; /* claimed so far */
    _Alignas(METER_LINE) _Atomic uint64_t sync_bytes, sync_began_ns; /* at the last sync */
    pthread_mutex_t mutex;
    pthread_cond_t synced;
    /* under the mutex */
    bool syncing;
    uint64_t begun, done; /* syncs */
    int error;            /* errno of a sync that failed; 0 */
    uint64_t ns, max_ns;
    uint64_t histogram[HISTOGRAM_STEPS];
};

/* A thread's way into the sink. */
struct outlet {
    struct sink *sink;
    struct thread *thread;
    const struct recipe *recipe;
    char prefix[40]; /* of each line of JSON of its sender */
    char *text;      /* lines on their way into the file */
    uint64_t room;   /* bytes of that memory */
    _Atomic uint64_t stored_bytes, write_ns;
};

void sink_make(struct sink *sink, const struct records_trial *trial);
void sink_free(struct sink *sink);

/* False with errno. */
bool outlet_make(struct outlet *outlet, struct sink *sink, const struct recipe *recipe, uint64_t sender);
void outlet_free(struct outlet *outlet);

/* The most bytes that a line of JSON has. */
uint64_t json_line_most(const struct recipe *recipe);

/* Puts records into the sink; false with errno, EINTR at a stop. `plain`: all of them are intact. */
bool outlet_put(struct outlet *outlet, const char *records, uint64_t count, bool plain);

/* Waits until everything that this thread has put is synced; false with errno. */
bool outlet_sync(struct outlet *outlet);

/* Syncs if the trial's `sync_ms` or `sync_bytes` says so; false with errno. */
bool outlet_sync_if_due(struct outlet *outlet);

#endif
