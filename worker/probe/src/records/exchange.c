#include "records/exchange.h"

#include "clock.h"
#include "crc32c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FRAME_BYTES (256ull << 10) /* stays in a core's cache */

const char *const lane_stage_names[] = {"fill", "send", "receive", "check", "write"};

const char *lane_call(const struct records_trial *trial)
{
    return records_sends(trial) ? "send" : records_writes(trial) ? "pwrite" : "recv";
}

uint64_t frame_records(const struct recipe *recipe)
{
    return recipe->bytes < FRAME_BYTES ? FRAME_BYTES / recipe->bytes : 1;
}

static uint64_t memory_bytes(const struct exchange *exchange)
{
    const uint64_t frame = frame_records(&exchange->recipe) * exchange->recipe.bytes;
    return sizeof(struct frame) + (frame > FRAME_BYTES ? frame : FRAME_BYTES) + RECORD_SLACK;
}

static bool make_lane(struct exchange *exchange, struct lane *lane, uint64_t sender)
{
    const struct records_trial *trial = exchange->trial;
    lane->exchange = exchange;
    lane->sender = sender;
    lane->ledger.origin = origin_make(&exchange->recipe, sender);
    lane->crc = CRC32C_BEGIN;
    lane->room = memory_bytes(exchange);
    char *memory = mmap(NULL, lane->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    lane->memory = memory == MAP_FAILED ? NULL : memory;
    return lane->memory && (records_sends(trial) || outlet_make(&lane->outlet, &exchange->sink, &exchange->recipe, sender));
}

bool exchange_make(struct exchange *exchange, struct attempt *attempt)
{
    const struct records_trial *trial = exchange->trial;
    const uint64_t lanes = exchange->link.count, limit = attempt->workspace->buffers.limit;
    const uint64_t text = trial->format == RECORDS_FORMAT_JSON && !records_sends(trial) ? FRAME_BYTES * 2 + json_line_most(&exchange->recipe) : 0;
    const uint64_t bytes = lanes * (sizeof(struct lane) + memory_bytes(exchange) + text);
    if (bytes > limit)
        return fail(&attempt->failure, "memory", 0, false,
                    "%" PRIu64 " streams of records need %" PRIu64 " bytes and the limit of all buffers is %" PRIu64
                    "; use fewer senders, or shorter records",
                    lanes, bytes, limit);
    if (posix_memalign((void **)&exchange->lanes, METER_LINE, lanes * sizeof *exchange->lanes) != 0) {
        exchange->lanes = NULL;
        return fail_errno(&attempt->failure, ENOMEM, "the streams' counters cannot be allocated");
    }
    memset(exchange->lanes, 0, lanes * sizeof *exchange->lanes);
    for (; exchange->count < lanes; exchange->count++)
        if (!make_lane(exchange, &exchange->lanes[exchange->count], exchange->link.first + exchange->count))
            return fail_errno(&attempt->failure, ENOMEM, "the streams' buffers cannot be allocated");
    return true;
}

void exchange_free(struct exchange *exchange)
{
    for (uint64_t i = 0; exchange->lanes && i < exchange->link.count; i++) {
        struct lane *lane = &exchange->lanes[i];
        outlet_free(&lane->outlet);
        if (lane->memory)
            munmap(lane->memory, lane->room);
    }
    free(exchange->lanes);
    recipe_free(&exchange->recipe);
}

void lane_begin(struct threadpool *pool)
{
    struct exchange *exchange = pool->own;
    const struct records_trial *trial = exchange->trial;
    const uint64_t length = (trial->ramp_ms + trial->window_ms) * NS_PER_MS;
    exchange->until_ns = trial->window_ms ? pool->started_ns + length : UINT64_MAX;
    exchange->period_ns32 = trial->rate_records_per_s ? (NS_PER_S << 32) / trial->rate_records_per_s : 0;
    atomic_store(&exchange->sink.sync_began_ns, pool->started_ns);
    exchange->started_cpu_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

int lane_prepare(struct thread *thread)
{
    struct lane *lane = thread->own;
    const struct exchange *exchange = lane->exchange;
    memset(lane->memory, 0, lane->room); /* no page is allocated while records are on their way */
    lane->outlet.thread = thread;
    lane->stream = (struct stream){
        .socket = exchange->link.sockets[lane->sender],
        .silence_ns = exchange->trial->link.silence_ms * NS_PER_MS,
        .stop = &thread->pool->stop,
    };
    return 0;
}

void lane_work(struct thread *thread)
{
    struct lane *lane = thread->own;
    const bool sends = records_sends(lane->exchange->trial);
    meter_begin(&thread->meter, clock_mono());
    thread_enters(thread, lane_call(lane->exchange->trial));
    (sends ? lane_send : lane_receive)(thread);
    meter_start(&thread->meter, 0);
    lane->ended_ns = clock_mono();
    if (!lane->finished)
        link_cut(lane->stream.socket);
    if (thread->timed_out) /* the others have no more time either */
        atomic_store(&thread->pool->stop, true);
}

void lane_complete(struct thread *thread)
{
    struct exchange *exchange = ((struct lane *)thread->own)->exchange;
    atomic_store(&exchange->cpu_ns, clock_read(CLOCK_PROCESS_CPUTIME_ID) - exchange->started_cpu_ns);
}

bool lane_is_over(const struct thread *thread)
{
    return atomic_load_explicit(&thread->pool->stop, memory_order_relaxed) ||
           atomic_load_explicit(&thread->pool->closed, memory_order_relaxed);
}

/* Only the lane's own thread writes its counters. */
static void add(_Atomic uint64_t *counter, uint64_t value)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value, memory_order_relaxed);
}

void lane_spend(struct lane *lane, enum lane_stage stage, uint64_t ns)
{
    add(&lane->call_ns[stage], ns);
}

void lane_fail(struct thread *thread, enum moved moved)
{
    problem_of_call(&((struct lane *)thread->own)->exchange->problem, thread, moved);
}

bool lane_count(struct thread *thread, uint64_t records, uint64_t start, uint64_t end)
{
    struct lane *lane = thread->own;
    const struct records_trial *trial = lane->exchange->trial;
    const uint64_t bytes = records * trial->record_bytes, busy = end - start;
    if (atomic_load_explicit(&thread->pool->closed, memory_order_relaxed))
        return false;
    add(&lane->bytes, bytes);
    meter_add_together(&thread->meter, &(struct metered){.start = start, .end = end, .moved = bytes, .busy = busy}, records);
    if (end - thread->pool->started_ns < trial->ramp_ms * NS_PER_MS)
        lane->ramp_records += records;
    else if (end < lane->exchange->until_ns)
        lane->window_records += records;
    if (end < thread->pool->deadline_ns)
        return true;
    thread->timed_out = true;
    return false;
}
