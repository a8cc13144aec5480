/* The receiver's lane: its thread reads the frames of one sender, counts and checks each of their
 * records, puts them into the sink, and acknowledges batches. */
#include "clock.h"
#include "crc32c.h"
#include "records/exchange.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define READ_AHEAD (64ull << 10)

/* Reads until so many bytes of what follows are in memory. */
static enum moved read_until(struct thread *thread, uint64_t bytes)
{
    struct lane *lane = thread->own;
    while (lane->until - lane->from < bytes) {
        const uint64_t have = lane->until - lane->from, needed = bytes - have;
        if (lane->from + bytes > lane->room - RECORD_SLACK || have == 0) {
            memmove(lane->memory, lane->memory + lane->from, have);
            lane->from = 0;
            lane->until = have;
        }
        const uint64_t room = lane->room - RECORD_SLACK - lane->until;
        const bool all = needed >= READ_AHEAD; /* small frames are read together */
        const uint64_t wanted = all ? needed : READ_AHEAD < room ? READ_AHEAD : room;
        const ssize_t got = recv(lane->stream.socket, lane->memory + lane->until, wanted, all ? MSG_WAITALL : 0);
        if (got > 0) {
            lane->until += (uint64_t)got;
            continue;
        }
        if (got == 0 || errno == EPIPE || errno == ECONNRESET)
            return MOVED_ENDED;
        if (errno == ETIMEDOUT)
            return MOVED_SILENT; /* keep-alive probes were not answered */
        if (errno != EAGAIN && errno != EINTR)
            return MOVED_FAILED;
        if (lane_is_over(thread))
            return MOVED_STOPPED;
    }
    return MOVED_ALL;
}

static bool is_of_records(const struct lane *lane, const struct frame *frame)
{
    const struct exchange *exchange = lane->exchange;
    const uint64_t left = exchange->trial->records ? exchange->trial->records - lane->records : UINT64_MAX;
    return frame->kind == FRAME_RECORDS && frame->blocks > 0 && frame->blocks <= frame_records(&exchange->recipe) &&
           frame->blocks <= left && frame->bytes == frame->blocks * exchange->trial->record_bytes;
}

/* Acknowledges everything read so far, which ends a batch; false after a failure. */
static bool acknowledge(struct thread *thread)
{
    struct lane *lane = thread->own;
    const struct frame frame = {.kind = FRAME_ACKNOWLEDGED, .blocks = lane->records};
    const enum moved moved = stream_send(&lane->stream, &frame, NULL, 0);
    if (moved != MOVED_ALL) {
        lane_fail(thread, moved);
        return false;
    }
    lane->acknowledged = lane->records;
    return true;
}

/* A call of the sink has failed; a stop that interrupted it is none. */
static bool fail_sink(struct thread *thread)
{
    if (errno != EINTR || !atomic_load(&thread->pool->stop))
        thread_fail(thread, errno);
    return false;
}

/* Counts, checks and stores the records of a frame that has come; false at the end of the lane. */
static bool take_records(struct thread *thread, const struct frame *frame, const char *records)
{
    struct lane *lane = thread->own;
    struct exchange *exchange = lane->exchange;
    const uint64_t acknowledged = exchange->trial->acknowledge, start = clock_mono(), wrote = lane->outlet.write_ns;
    const uint64_t intact = lane->ledger.intact;
    const bool ends = frame->number == 1;
    meter_start(&thread->meter, start);
    ledger_read(&lane->ledger, records, frame->blocks);
    lane->crc = crc32c(lane->crc, records, frame->bytes, exchange->hardware);
    lane->records += frame->blocks;
    if (ends && acknowledged == RECORDS_ACKNOWLEDGE_RECEIVED && !acknowledge(thread))
        return false;
    if (!outlet_put(&lane->outlet, records, frame->blocks, lane->ledger.intact - intact == frame->blocks))
        return fail_sink(thread);
    lane->stored += frame->blocks;
    const uint64_t end = clock_mono(), writing = lane->outlet.write_ns - wrote;
    lane_spend(lane, LANE_WRITE, writing);
    lane_spend(lane, LANE_CHECK, end - start - writing);
    const bool in_time = lane_count(thread, frame->blocks, start, end);
    if (!(ends && acknowledged == RECORDS_ACKNOWLEDGE_SYNCED ? outlet_sync(&lane->outlet) : outlet_sync_if_due(&lane->outlet)))
        return fail_sink(thread);
    meter_start(&thread->meter, 0);
    lane->batches += ends;
    const bool due = ends && (acknowledged == RECORDS_ACKNOWLEDGE_WRITTEN || acknowledged == RECORDS_ACKNOWLEDGE_SYNCED);
    return (!due || acknowledge(thread)) && in_time;
}

/* The sender has ended its sequence: both must have counted the same records. */
static void take_end(struct thread *thread, const struct frame *end)
{
    struct lane *lane = thread->own;
    const struct frame receipt = {.kind = FRAME_RECEIPT, .blocks = lane->ledger.intact, .digest = ~lane->crc};
    lane->peer_records = end->blocks;
    lane->peer_crc = (uint32_t)end->digest;
    lane->met = true;
    thread->timed_out = end->number == 1;
    const enum moved moved = stream_send(&lane->stream, &receipt, NULL, 0);
    if (moved != MOVED_ALL) {
        lane_fail(thread, moved);
        return;
    }
    lane->acknowledged = lane->records;
    if (end->blocks != lane->records || end->blocks != receipt.blocks || end->digest != receipt.digest)
        problem_raise(&lane->exchange->problem, thread, PROBLEM_DIGEST, 0);
    else
        lane->finished = !thread->timed_out;
}

void lane_receive(struct thread *thread)
{
    struct lane *lane = thread->own;
    struct frame frame;
    while (!lane_is_over(thread)) {
        const uint64_t began = clock_mono();
        enum moved moved = read_until(thread, sizeof frame);
        if (moved == MOVED_ALL) {
            memcpy(&frame, lane->memory + lane->from, sizeof frame);
            if (frame.kind == FRAME_END) {
                take_end(thread, &frame);
                return;
            }
            if (!is_of_records(lane, &frame)) {
                problem_raise(&lane->exchange->problem, thread, PROBLEM_FRAME, 0);
                return;
            }
            moved = read_until(thread, sizeof frame + frame.bytes);
        }
        lane_spend(lane, LANE_RECEIVE, clock_mono() - began);
        if (moved != MOVED_ALL) {
            lane_fail(thread, moved);
            return;
        }
        if (!take_records(thread, &frame, lane->memory + lane->from + sizeof frame))
            return;
        lane->from += sizeof frame + frame.bytes;
    }
}
