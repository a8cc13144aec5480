/* The exchange of an attempt at one end: a lane for each sender whose records it sends or receives.
 * A lane is a stream with its thread, its memory and its figures; at the receiver all of them lead
 * into one sink. */
#ifndef ASSAY_RECORDS_EXCHANGE_H
#define ASSAY_RECORDS_EXCHANGE_H

#include "attempt.h"
#include "records/fields.h"
#include "records/ledger.h"
#include "records/sink.h"
#include "transfer/link.h"
#include "transfer/problem.h"
#include "transfer/stream.h"

/* What a lane does with a frame, in this order. */
enum lane_stage { LANE_FILL, LANE_SEND, LANE_RECEIVE, LANE_CHECK, LANE_WRITE, LANE_STAGES };
extern const char *const lane_stage_names[];

/* A batch that was not acknowledged yet. */
struct batch {
    uint64_t first, until; /* its records */
    uint64_t began_ns;
};
#define IN_FLIGHT_MOST 1024

struct exchange;

struct lane {
    /* read by the sampler */
    _Alignas(METER_LINE) _Atomic uint64_t bytes, call_ns[LANE_STAGES];
    _Atomic uint64_t blocked_ns; /* a sender waited for acknowledgements */
    struct exchange *exchange;
    uint64_t sender;
    struct stream stream;
    char *memory; /* of a frame that is sent, or of what was received */
    uint64_t room, from, until; /* of received memory: what is not yet used */
    struct outlet outlet;

    uint64_t records;      /* sent, or received */
    uint64_t stored;       /* records in the sink */
    uint64_t acknowledged; /* records */
    uint64_t settled;      /* records whose latency is known */
    uint64_t batches;
    uint64_t ramp_records, window_records;
    uint32_t crc, peer_crc;
    uint64_t peer_records; /* as the other end counted them */
    bool met;              /* these two are known */
    uint64_t ended_ns;     /* the lane has ended, CLOCK_MONOTONIC; 0 before */
    bool finished;
    struct ledger ledger;  /* of a receiver; its origin also of a sender */

    struct batch batches_in_flight[IN_FLIGHT_MOST]; /* a ring */
    uint64_t oldest_batch, in_flight;
    struct frame incoming; /* an acknowledgement, of which so many bytes have come */
    uint64_t incoming_bytes;
    uint64_t ack_max, due_max, due_unfinished;
    uint64_t ack_histogram[HISTOGRAM_STEPS], due_histogram[HISTOGRAM_STEPS];
};

struct exchange {
    const struct records_trial *trial;
    struct link link;
    struct recipe recipe;
    struct sink sink;
    struct lane *lanes;
    uint64_t count; /* of the lanes */
    struct problem problem;
    bool hardware;        /* the processor's instruction for CRC32C */
    uint64_t until_ns;    /* no frame begins later; UINT64_MAX without a window. CLOCK_MONOTONIC */
    uint64_t period_ns32; /* ns between records that are due, × 2^32; 0 without a rate */
    uint64_t started_cpu_ns;
    _Atomic uint64_t cpu_ns;
};

/* Creates the lanes and their memory; false with a failure. */
bool exchange_make(struct exchange *exchange, struct attempt *attempt);
void exchange_free(struct exchange *exchange);

/* The lane's task; a thread's `own` is its lane. */
void lane_begin(struct threadpool *pool);
int lane_prepare(struct thread *thread);
void lane_work(struct thread *thread);
void lane_complete(struct thread *thread);

/* What both ends of a lane have in common: counts records whose frame was sent, or stored, between
 * these times; false if the trial's time is over. */
bool lane_count(struct thread *thread, uint64_t records, uint64_t start, uint64_t end);
bool lane_is_over(const struct thread *thread);
void lane_spend(struct lane *lane, enum lane_stage stage, uint64_t ns);
void lane_fail(struct thread *thread, enum moved moved);

/* The work of either end. */
void lane_send(struct thread *thread);
void lane_receive(struct thread *thread);

/* The system call that may hang in a lane's thread. */
const char *lane_call(const struct records_trial *trial);

/* The most records of a frame. */
uint64_t frame_records(const struct recipe *recipe);

#endif
