/* A sender's lane: its thread makes the records of a batch, sends them frame by frame, and takes the
 * acknowledgements that come meanwhile, so that each is noticed when it arrives. */
#include "clock.h"
#include "crc32c.h"
#include "records/exchange.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* How soon a waiting thread notices a stop. */
#define LOOK_NS (100 * NS_PER_MS)

static bool acknowledges(const struct lane *lane)
{
    return lane->exchange->trial->acknowledge != RECORDS_ACKNOWLEDGE_NONE;
}

/* When a record is due, CLOCK_MONOTONIC; with a rate. */
static uint64_t due_at(const struct thread *thread, uint64_t number)
{
    const struct exchange *exchange = ((struct lane *)thread->own)->exchange;
    return thread->pool->started_ns + (uint64_t)((unsigned __int128)number * exchange->period_ns32 >> 32);
}

/* How many records are due at a time. */
static uint64_t due_count(const struct thread *thread, uint64_t now)
{
    const uint64_t period = ((struct lane *)thread->own)->exchange->period_ns32;
    if (now < thread->pool->started_ns)
        return 0;
    uint64_t count = (uint64_t)(((unsigned __int128)(now - thread->pool->started_ns) << 32) / period);
    while (due_at(thread, count) <= now) /* that of rounding */
        count++;
    return count;
}

/* When the warm-up ends, whose latencies do not count, CLOCK_MONOTONIC. */
static uint64_t warm_at(const struct thread *thread)
{
    return thread->pool->started_ns + ((struct lane *)thread->own)->exchange->trial->ramp_ms * NS_PER_MS;
}

/* The latencies of records from when they were due, if that was after the warm-up; returns their number. */
static uint64_t add_due(struct thread *thread, uint64_t from, uint64_t until, uint64_t now)
{
    struct lane *lane = thread->own;
    const uint64_t warm = due_count(thread, warm_at(thread) - 1), first = from > warm ? from : warm;
    if (first >= until)
        return 0;
    const uint64_t oldest = due_at(thread, first);
    for (uint64_t number = first; number < until; number++)
        lane->due_histogram[histogram_index(now - due_at(thread, number))]++;
    lane->due_max = now - oldest > lane->due_max ? now - oldest : lane->due_max;
    return until - first;
}

/* A batch was acknowledged, or, if none is, sent. */
static void end_batch(struct thread *thread, const struct batch *batch, uint64_t now)
{
    struct lane *lane = thread->own;
    if (acknowledges(lane) && batch->began_ns >= warm_at(thread)) {
        const uint64_t latency = now > batch->began_ns ? now - batch->began_ns : 0;
        lane->ack_histogram[histogram_index(latency)]++;
        lane->ack_max = latency > lane->ack_max ? latency : lane->ack_max;
    }
    if (lane->exchange->period_ns32)
        add_due(thread, batch->first, batch->until, now);
    lane->settled = batch->until;
}

/* An acknowledgement of the first so many records, in whole batches. */
static bool take_acknowledgement(struct thread *thread, uint64_t records, uint64_t now)
{
    struct lane *lane = thread->own;
    if (!acknowledges(lane) || records <= lane->acknowledged || records > lane->records)
        return false;
    while (lane->in_flight > 0 && lane->batches_in_flight[lane->oldest_batch].until <= records) {
        end_batch(thread, &lane->batches_in_flight[lane->oldest_batch], now);
        lane->oldest_batch = (lane->oldest_batch + 1) % IN_FLIGHT_MOST;
        lane->in_flight--;
    }
    lane->acknowledged = records;
    return true;
}

/* Takes the frames that have come, without waiting; false after a failure. */
static bool take_incoming(struct thread *thread)
{
    struct lane *lane = thread->own;
    for (;;) {
        const ssize_t got = recv(lane->stream.socket, (char *)&lane->incoming + lane->incoming_bytes,
                                 sizeof lane->incoming - lane->incoming_bytes, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (got <= 0) {
            const bool ended = got == 0 || errno == ECONNRESET;
            lane_fail(thread, ended ? MOVED_ENDED : errno == ETIMEDOUT ? MOVED_SILENT : MOVED_FAILED);
            return false;
        }
        lane->incoming_bytes += (uint64_t)got;
        if (lane->incoming_bytes < sizeof lane->incoming)
            continue;
        lane->incoming_bytes = 0;
        if (lane->incoming.kind != FRAME_ACKNOWLEDGED ||
            !take_acknowledgement(thread, lane->incoming.blocks, clock_mono())) {
            problem_raise(&lane->exchange->problem, thread, PROBLEM_FRAME, 0);
            return false;
        }
    }
}

/* Waits for something to come, or for room to send (`sends`), at most until a time; takes what came.
 * False after a failure or a stop. */
static bool await(struct thread *thread, bool sends, uint64_t until)
{
    struct lane *lane = thread->own;
    struct pollfd polled = {lane->stream.socket, (short)(POLLIN | (sends ? POLLOUT : 0)), 0};
    const uint64_t now = clock_mono();
    const struct timespec wait = clock_timespec(until <= now ? 0 : until - now < LOOK_NS ? until - now : LOOK_NS);
    const int ready = ppoll(&polled, 1, &wait, NULL);
    if (lane_is_over(thread))
        return false;
    return ready <= 0 || !(polled.revents & ~POLLOUT) || take_incoming(thread);
}

/* Waits until a time; false after a failure or a stop. */
static bool await_time(struct thread *thread, uint64_t until)
{
    while (clock_mono() < until)
        if (!await(thread, false, until))
            return false;
    return true;
}

/* Waits until at most so many batches are in flight; false after a failure or a stop. */
static bool await_acknowledgements(struct thread *thread, uint64_t most)
{
    struct lane *lane = thread->own;
    if (lane->in_flight <= most)
        return true;
    const uint64_t began = clock_mono();
    bool good = true;
    while (good && lane->in_flight > most)
        good = await(thread, false, UINT64_MAX);
    atomic_fetch_add_explicit(&lane->blocked_ns, clock_mono() - began, memory_order_relaxed);
    return good;
}

/* Sends a frame of which the memory has the header and the records; false after a failure or a stop. */
static bool send_frame(struct thread *thread, uint64_t bytes)
{
    struct lane *lane = thread->own;
    struct stall stall = {0};
    for (uint64_t done = 0; done < bytes;) {
        const ssize_t sent = send(lane->stream.socket, lane->memory + done, bytes - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            done += (uint64_t)sent;
            stall = (struct stall){0};
            continue;
        }
        stall.since_ns = stall.since_ns ? stall.since_ns : clock_mono();
        const enum moved judged = stream_judge(&lane->stream, &stall);
        if (judged != MOVED_ALL) {
            lane_fail(thread, judged);
            return false;
        }
        if (!await(thread, true, UINT64_MAX))
            return false;
    }
    return true;
}

/* Makes and sends the batch's records that follow, as many as fit into a frame. `batch->until` becomes
 * smaller if its time is over. */
static bool send_some(struct thread *thread, struct batch *batch)
{
    struct lane *lane = thread->own;
    const struct exchange *exchange = lane->exchange;
    const struct records_trial *trial = exchange->trial;
    const uint64_t left = batch->until - lane->records, most = frame_records(&exchange->recipe), began = clock_mono();
    const uint64_t count = left < most ? left : most;
    char *const records = lane->memory + sizeof(struct frame);
    const uint64_t bytes = count * trial->record_bytes;
    records_fill(&lane->ledger.origin, lane->records, count, records);
    lane->crc = crc32c(lane->crc, records, bytes, exchange->hardware);
    const uint64_t start = clock_mono();
    const bool late = start >= exchange->until_ns || start - batch->began_ns >= trial->batch_ms * NS_PER_MS;
    if (late && exchange->period_ns32 == 0)
        batch->until = lane->records + count;
    const struct frame frame = {
        .kind = FRAME_RECORDS, .number = lane->records + count == batch->until, .bytes = bytes, .blocks = count};
    memcpy(lane->memory, &frame, sizeof frame);
    lane_spend(lane, LANE_FILL, start - began);
    meter_start(&thread->meter, start);
    if (!send_frame(thread, sizeof frame + bytes))
        return false;
    lane->records += count;
    const uint64_t end = clock_mono();
    lane_spend(lane, LANE_SEND, end - start);
    return lane_count(thread, count, start, end);
}

/* The newest batch in flight ends with the records sent, if acknowledgements are awaited. */
static void add_in_flight(struct lane *lane, const struct batch *batch)
{
    lane->batches_in_flight[(lane->oldest_batch + lane->in_flight++) % IN_FLIGHT_MOST] = *batch;
}

static bool send_batch(struct thread *thread, struct batch *batch)
{
    struct lane *lane = thread->own;
    struct batch *kept = &lane->batches_in_flight[(lane->oldest_batch + lane->in_flight) % IN_FLIGHT_MOST];
    if (acknowledges(lane))
        add_in_flight(lane, batch);
    while (lane->records < batch->until) {
        if (!send_some(thread, batch))
            return false;
        kept->until = batch->until;
    }
    lane->batches++;
    if (!acknowledges(lane))
        end_batch(thread, batch, clock_mono());
    return !acknowledges(lane) || take_incoming(thread);
}

/* The next batch of a sender without a rate: its records are there at once. */
static bool full_batch(struct thread *thread, struct batch *batch)
{
    const struct lane *lane = thread->own;
    const struct records_trial *trial = lane->exchange->trial;
    const uint64_t left = trial->records ? trial->records - lane->records : UINT64_MAX, now = clock_mono();
    *batch = (struct batch){
        .first = lane->records,
        .until = lane->records + (left < trial->batch_records ? left : trial->batch_records),
        .began_ns = now,
    };
    return left > 0 && now < lane->exchange->until_ns;
}

/* When the batch that begins with the next record is full, or has waited for `batch_ms`, or the last
 * record of the trial is due. */
static uint64_t batch_closes(const struct thread *thread)
{
    const struct lane *lane = thread->own;
    const struct records_trial *trial = lane->exchange->trial;
    uint64_t last = lane->records + trial->batch_records - 1;
    if (trial->records && last >= trial->records)
        last = trial->records - 1;
    const uint64_t full = due_at(thread, last), waited = due_at(thread, lane->records) + trial->batch_ms * NS_PER_MS;
    const uint64_t closes = full < waited ? full : waited;
    return closes < lane->exchange->until_ns ? closes : lane->exchange->until_ns;
}

/* The next batch of a paced sender, with the records that are due: of the last one those that are due
 * before the window ends. */
static bool due_batch(struct thread *thread, struct batch *batch)
{
    const struct lane *lane = thread->own;
    const struct exchange *exchange = lane->exchange;
    const struct records_trial *trial = exchange->trial;
    const uint64_t limit = trial->in_flight_batches - 1, closes = batch_closes(thread);
    if ((trial->records && lane->records == trial->records) || due_at(thread, lane->records) >= exchange->until_ns)
        return false;
    if (!await_time(thread, closes) || !await_acknowledgements(thread, limit))
        return false;
    const uint64_t now = clock_mono(), at = now < exchange->until_ns ? now : exchange->until_ns - 1;
    if (now >= exchange->until_ns && closes < exchange->until_ns)
        return false; /* it is behind its rate */
    uint64_t until = due_count(thread, at);
    until = until - lane->records < trial->batch_records ? until : lane->records + trial->batch_records;
    until = trial->records && until > trial->records ? trial->records : until;
    *batch = (struct batch){.first = lane->records, .until = until, .began_ns = closes};
    return true;
}

static bool next_batch(struct thread *thread, struct batch *batch)
{
    const struct records_trial *trial = ((struct lane *)thread->own)->exchange->trial;
    if (trial->rate_records_per_s)
        return due_batch(thread, batch);
    return await_acknowledgements(thread, trial->in_flight_batches - 1) && full_batch(thread, batch);
}

/* Records that were due by now but are not acknowledged have the latency that they have reached. */
static void add_unfinished(struct thread *thread)
{
    struct lane *lane = thread->own;
    const struct exchange *exchange = lane->exchange;
    if (exchange->period_ns32 == 0)
        return;
    const uint64_t now = clock_mono(), last = now < exchange->until_ns ? now : exchange->until_ns - 1;
    uint64_t due = due_count(thread, last);
    due = exchange->trial->records && due > exchange->trial->records ? exchange->trial->records : due;
    lane->due_unfinished = add_due(thread, lane->settled, due, now);
}

/* Tells the receiver that the sequence is complete, and compares its receipt. */
static void end_lane(struct thread *thread)
{
    struct lane *lane = thread->own;
    const struct frame end = {
        .kind = FRAME_END, .number = thread->timed_out, .blocks = lane->records, .digest = ~lane->crc};
    struct frame receipt = {0};
    enum moved moved = stream_send(&lane->stream, &end, NULL, 0);
    shutdown(lane->stream.socket, SHUT_WR); /* nothing follows: the other end does not wait for data */
    if (moved == MOVED_ALL)
        moved = stream_receive(&lane->stream, &receipt, NULL, 0);
    if (moved != MOVED_ALL) {
        lane_fail(thread, moved);
        return;
    }
    if (receipt.kind != FRAME_RECEIPT) {
        problem_raise(&lane->exchange->problem, thread, PROBLEM_FRAME, 0);
        return;
    }
    lane->peer_records = receipt.blocks;
    lane->peer_crc = (uint32_t)receipt.digest;
    lane->met = true;
    if (receipt.blocks != end.blocks || receipt.digest != end.digest) {
        problem_raise(&lane->exchange->problem, thread, PROBLEM_DIGEST, 0);
        return;
    }
    lane->acknowledged = lane->records;
    lane->finished = !thread->timed_out;
}

void lane_send(struct thread *thread)
{
    struct batch batch;
    bool good = true;
    while (good && !lane_is_over(thread) && !thread->timed_out && next_batch(thread, &batch))
        good = send_batch(thread, &batch);
    meter_start(&thread->meter, 0);
    if (!lane_is_over(thread) && (good || thread->timed_out) && await_acknowledgements(thread, 0))
        end_lane(thread);
    add_unfinished(thread);
}
