#include "sustained/flight.h"

#include "clock.h"
#include "uring.h"

#include <errno.h>
#include <stdlib.h>

/* How soon a thread looks again for data that another thread generates. */
#define LOOK_NS 20000

struct slot {
    _Atomic uint64_t start_ns; /* 0: the slot is free */
    _Atomic uint64_t due_ns;
    struct block block;
    uint64_t at; /* in the file */
    int file;
    uint64_t done; /* bytes */
    uint64_t end_ns, busy_ns;
};

struct flight {
    struct uring ring;
    uint64_t depth, count; /* slots, and those in use */
    struct slot slots[SUSTAINED_QUEUE_DEPTH_MOST];
    struct block ahead[SUSTAINED_QUEUE_DEPTH_MOST]; /* ring of the next blocks, with their data */
    uint64_t ahead_first, ahead_count, ahead_most;
    bool ends;      /* no operation begins any more */
    bool whole;     /* because everything was moved, or the duration is over */
    bool syncs;     /* a sync is due when nothing is in flight */
    bool cancelled;
    uint64_t wake_ns;     /* the next operation is due; 0 if nothing but a result is awaited */
    uint64_t busy_from;   /* an operation is in flight since then, or returned last */
    uint64_t short_since; /* there has been room for an operation that is due; 0 if there is none */
    uint64_t short_ns;    /* sum of that time */
    uint64_t calls_ns;    /* of other calls since the last operation */
    struct slot landed;   /* an operation that has returned and is not counted yet */
    atomic_bool lands;    /* there is one */
};

struct flight *flight_make(uint64_t depth, uint64_t windows)
{
    struct flight *flight = calloc(1, sizeof *flight);
    if (!flight)
        return NULL;
    flight->ring.file = -1;
    flight->depth = depth;
    flight->ahead_most = windows > depth ? windows - depth : 1;
    flight->ahead_most = flight->ahead_most < depth ? flight->ahead_most : depth;
    return flight;
}

void flight_free(struct flight *flight)
{
    if (flight)
        uring_free(&flight->ring);
    free(flight);
}

static uint64_t started(const struct slot *slot)
{
    return atomic_load_explicit(&slot->start_ns, memory_order_relaxed);
}

/* When the oldest operation in flight began; 0 without one. */
static uint64_t oldest_of(const struct flight *flight)
{
    uint64_t oldest = 0;
    for (uint64_t i = 0; i < flight->depth; i++) {
        const uint64_t start = started(&flight->slots[i]);
        oldest = start && (!oldest || start < oldest) ? start : oldest;
    }
    return oldest;
}

/* A free slot; NULL while an operation is in flight at the same place. */
static struct slot *slot_for(struct flight *flight, int file, uint64_t at)
{
    struct slot *found = NULL;
    for (uint64_t i = 0; i < flight->depth; i++) {
        struct slot *slot = &flight->slots[i];
        if (started(slot) == 0)
            found = slot;
        else if (slot->at == at && slot->file == file)
            return NULL;
    }
    return found;
}

static int submit(struct flight *flight, struct slot *slot, uint64_t size)
{
    const struct uring_operation operation = {
        .reads = slot->block.reads,
        .file = slot->file,
        .data = slot->block.data + slot->done,
        .bytes = (uint32_t)(size - slot->done),
        .offset = slot->at + slot->done,
        .id = (uint64_t)(slot - flight->slots),
    };
    return uring_submit(&flight->ring, &operation);
}

static void end(struct thread *thread, struct flight *flight, bool whole)
{
    const bool stops = atomic_load_explicit(&thread->pool->stop, memory_order_relaxed);
    flight->ends = true;
    flight->whole = whole && !stops && !thread->timed_out;
}

static void fail_flight(struct thread *thread, struct flight *flight, int error)
{
    if (!thread->error) /* what follows is cancelled because of it */
        thread_fail(thread, error);
    end(thread, flight, false);
}

/* Goes on with an operation of which the kernel moved a part, or none; 0 or an errno. */
static int go_on(struct thread *thread, struct slot *slot, int32_t moved)
{
    struct stream *stream = thread->own;
    if (moved == 0)
        return EIO; /* the file is shorter than the written data */
    if (moved < 0 && moved != -EINTR && moved != -EAGAIN)
        return moved == -ECANCELED ? EINTR : -moved;
    if (atomic_load_explicit(&thread->pool->stop, memory_order_relaxed))
        return EINTR; /* after a stop no new call begins */
    return submit(stream->flight, slot, stream->blocks.size);
}

/* Takes an operation that has returned; false if there is none. */
static bool take_result(struct thread *thread, struct flight *flight, struct slot *landed)
{
    const struct stream *stream = thread->own;
    uint64_t id;
    int32_t moved;
    while (uring_take(&flight->ring, &id, &moved)) {
        if (id == URING_CANCEL)
            continue;
        struct slot *slot = &flight->slots[id];
        slot->done += moved > 0 ? (uint64_t)moved : 0;
        const bool whole = slot->done == stream->blocks.size;
        const int error = whole ? 0 : go_on(thread, slot, moved);
        if (!whole && !error)
            continue;
        slot->end_ns = clock_mono();
        slot->busy_ns = slot->end_ns - flight->busy_from -
                        standstill_within(stream->work->standstill, flight->busy_from, slot->end_ns);
        flight->busy_from = slot->end_ns;
        flight->short_since = flight->count-- == flight->depth ? slot->end_ns : flight->short_since;
        *landed = *slot;
        if (error != EINTR) /* else it keeps its slot, because it was given up */
            atomic_store_explicit(&slot->start_ns, 0, memory_order_relaxed);
        if (whole)
            return true;
        meter_start(&thread->meter, oldest_of(flight));
        fail_flight(thread, flight, error);
    }
    return false;
}

/* Adds an operation that has returned to the figures. */
static void add(struct thread *thread, struct flight *flight, struct slot *landed)
{
    struct stream *stream = thread->own;
    struct meter *meter = &thread->meter;
    const uint64_t offset = landed->block.offset, between_ns = flight->short_ns;
    struct operation_done done = {
        .start_ns = landed->start_ns,
        .end_ns = landed->end_ns,
        .still_ns = standstill_within(stream->work->standstill, landed->start_ns, landed->end_ns),
        .bytes = landed->done,
        .busy_ns = landed->busy_ns + flight->calls_ns,
        .due_ns = landed->due_ns,
        .reads = landed->block.reads,
    };
    flight->calls_ns = 0;
    meter_add(meter, &(struct metered){.start = done.start_ns,
                                       .end = done.end_ns,
                                       .moved = done.bytes,
                                       .still = done.still_ns,
                                       .busy = done.end_ns - meter->began - between_ns - meter->busy,
                                       .oldest = oldest_of(flight),
                                       .apart = stream->blocks.mixed && done.reads});
    stream_return(stream, &landed->block);
    stream_add(stream, &done, offset);
    flight->syncs |= stream_sync_is_due(stream, &done);
    if (!atomic_load_explicit(&thread->pool->overdue, memory_order_relaxed))
        return;
    thread->timed_out = true;
    end(thread, flight, false);
}

/* The next operation begins before the one that has returned is counted, unless that is the last. */
static void count_landed(struct thread *thread, struct flight *flight)
{
    if (!atomic_load_explicit(&flight->lands, memory_order_acquire))
        return;
    add(thread, flight, &flight->landed);
    atomic_store_explicit(&flight->lands, false, memory_order_release);
}

/* The thread hangs while it begins an operation, or counts none any more. */
static void close_flight(struct thread *thread)
{
    const struct stream *stream = thread->own;
    count_landed(thread, stream->flight);
}

/* Generates the data of one more block, as far as there is room for it; without anything in flight it
 * waits for another thread that does. */
static bool look_ahead(struct flight *flight, struct blocks *blocks)
{
    if (flight->ends || flight->ahead_count == flight->ahead_most || (flight->count > 0 && !blocks_is_ready(blocks)))
        return false;
    struct block *next = &flight->ahead[(flight->ahead_first + flight->ahead_count) % SUSTAINED_QUEUE_DEPTH_MOST];
    if (!blocks_next(blocks, next))
        return false;
    flight->ahead_count++;
    return true;
}

/* Waits for the results before anything else. */
static bool wait_first(struct flight *flight, uint64_t wake_ns)
{
    flight->wake_ns = wake_ns;
    flight->short_since = 0; /* the next operation is not due */
    return false;
}

/* Whether it is the next operation's turn by the pace: it sleeps only while nothing is in flight. */
static bool has_turn(struct thread *thread, struct flight *flight, uint64_t *due)
{
    struct stream *stream = thread->own;
    const uint64_t due_next = pace_next_due(&stream->pace), until = stream->pace.schedule->until_ns;
    const uint64_t next = due_next ? standstill_moment(stream->work->standstill, due_next) : 0;
    if (flight->count > 0 && next > 0 && clock_mono() < (next < until ? next : until))
        return wait_first(flight, next < until ? next : until);
    if (flight->count > 0 && pace_gap_follows(&stream->pace))
        return wait_first(flight, 0);
    if (stream_wait_turn(thread, due))
        return true;
    end(thread, flight, true);
    return false;
}

/* Whether the next operation can begin beside those in flight: they return before another call of the
 * stream, and before the block that they move is visited again. */
static bool has_room(struct thread *thread, struct flight *flight, const struct block *next)
{
    struct stream *stream = thread->own;
    if (flight->count == 0 && flight->syncs) {
        flight->syncs = false;
        if (!stream_sync(thread, &flight->calls_ns))
            end(thread, flight, false);
        return !flight->ends;
    }
    if (flight->count == 0)
        return true;
    if (flight->syncs || streamfiles_changes(&stream->files, next->offset))
        return false;
    const int64_t at = streamfiles_seek(&stream->files, next->offset, &flight->calls_ns);
    return slot_for(flight, streamfiles_current(&stream->files), (uint64_t)at) != NULL;
}

/* Goes to the file of the next block, whose calls are no operation; -1 with errno. */
static int64_t seek(struct thread *thread, struct flight *flight, const struct block *next)
{
    struct stream *stream = thread->own;
    const bool changes = streamfiles_changes(&stream->files, next->offset);
    if (changes)
        meter_start(&thread->meter, clock_mono());
    const int64_t at = streamfiles_seek(&stream->files, next->offset, &flight->calls_ns);
    if (changes)
        meter_start(&thread->meter, 0);
    return at;
}

static void launch(struct thread *thread, struct flight *flight, struct slot *slot, uint64_t due)
{
    struct stream *stream = thread->own;
    const uint64_t now = clock_mono();
    if (flight->short_since)
        flight->short_ns += now - flight->short_since;
    if (flight->count++ == 0) {
        flight->busy_from = now;
        meter_start(&thread->meter, now);
    }
    flight->short_since = flight->count < flight->depth ? now : 0;
    atomic_store_explicit(&slot->due_ns, due, memory_order_relaxed);
    atomic_store_explicit(&slot->start_ns, now, memory_order_relaxed);
    const int error = submit(flight, slot, stream->blocks.size);
    if (!error)
        return;
    atomic_store_explicit(&slot->start_ns, 0, memory_order_relaxed);
    flight->count--;
    fail_flight(thread, flight, error);
}

/* Begins the next operation; false if none may begin now. */
static bool begin_next(struct thread *thread, struct flight *flight)
{
    struct stream *stream = thread->own;
    struct slot *slot;
    uint64_t due;
    flight->wake_ns = 0;
    if (!flight->ends && atomic_load_explicit(&thread->pool->stop, memory_order_relaxed))
        end(thread, flight, false);
    if (flight->ends || flight->count == flight->depth)
        return false;
    if (flight->ahead_count == 0 && !look_ahead(flight, &stream->blocks)) {
        if (flight->count == 0 || blocks_is_ready(&stream->blocks))
            end(thread, flight, true); /* no block is left */
        return false;
    }
    const struct block *next = &flight->ahead[flight->ahead_first];
    if (!has_room(thread, flight, next) || !has_turn(thread, flight, &due))
        return false;
    stream_begin(stream);
    const int64_t at = seek(thread, flight, next);
    if (at < 0) {
        fail_flight(thread, flight, errno);
        return false;
    }
    slot = slot_for(flight, streamfiles_current(&stream->files), (uint64_t)at);
    slot->block = *next;
    slot->at = (uint64_t)at;
    slot->file = streamfiles_current(&stream->files);
    slot->done = 0;
    flight->ahead_first = (flight->ahead_first + 1) % SUSTAINED_QUEUE_DEPTH_MOST;
    flight->ahead_count--;
    launch(thread, flight, slot, due);
    return true;
}

/* After a stop, a call that is still in the kernel is interrupted by a signal: it cancels all. */
static void cancel_all(struct flight *flight)
{
    for (uint64_t i = 0; i < flight->depth; i++)
        if (started(&flight->slots[i]))
            uring_cancel(&flight->ring, i);
    flight->cancelled = true;
}

static void await_result(struct thread *thread, struct flight *flight)
{
    const bool lacks_data = !flight->ends && flight->count < flight->depth && flight->ahead_count == 0;
    const uint64_t until = flight->wake_ns ? flight->wake_ns : lacks_data ? clock_mono() + LOOK_NS : 0;
    const int error = uring_wait(&flight->ring, until);
    if (error == EINTR && atomic_load(&thread->pool->stop) && !flight->cancelled)
        cancel_all(flight);
}

static void work(struct thread *thread)
{
    struct stream *stream = thread->own;
    struct flight *flight = stream->flight;
    const atomic_bool *closed = &thread->pool->closed;
    meter_begin(&thread->meter, clock_mono());
    flight->short_since = thread->meter.began;
    while (flight->count > 0 || !flight->ends) {
        if (atomic_load_explicit(closed, memory_order_relaxed))
            return;
        const bool lands = take_result(thread, flight, &flight->landed);
        atomic_store_explicit(&flight->lands, lands, memory_order_release);
        if (flight->count == 0) /* then what follows may be a sync, or sleep */
            count_landed(thread, flight);
        const bool begins = begin_next(thread, flight);
        if (atomic_load(closed))
            return; /* who closed the pool has counted it */
        count_landed(thread, flight);
        if (!lands && !begins && !look_ahead(flight, &stream->blocks) && flight->count > 0)
            await_result(thread, flight);
    }
    stream->finished = flight->whole && !thread->error && !thread->timed_out;
    meter_start(&thread->meter, 0);
}

static int prepare(struct thread *thread)
{
    struct stream *stream = thread->own;
    const int error = stream_task().prepare(thread);
    if (error)
        return error;
    return uring_make(&stream->flight->ring, (unsigned)stream->flight->depth) ? 0 : errno;
}

static void complete(struct thread *thread)
{
    struct stream *stream = thread->own;
    if (stream->flight->count == 0) /* else they were abandoned, and the kernel still uses the buffers */
        uring_free(&stream->flight->ring);
    stream_task().complete(thread);
}

struct task flight_task(void)
{
    struct task task = stream_task();
    task.prepare = prepare;
    task.work = work;
    task.complete = complete;
    task.close = close_flight;
    return task;
}

void flight_add_unfinished(struct stream *stream, uint64_t end)
{
    const struct flight *flight = stream->flight;
    stream_add_unfinished(stream, stream->turns, end);
    const uint64_t moving = standstill_moving(stream->work->standstill, end);
    for (uint64_t i = 0; i < flight->depth; i++) {
        const uint64_t due = started(&flight->slots[i]) ? atomic_load(&flight->slots[i].due_ns) : 0;
        const uint64_t late = due && moving > due ? moving - due : 0;
        if (late == 0)
            continue;
        stream->due_unfinished++;
        stream->due_histogram[histogram_index(late)]++;
        stream->due_max = late > stream->due_max ? late : stream->due_max;
    }
}

uint64_t flight_unreturned(const struct stream *stream, uint64_t now, uint64_t *taken)
{
    const struct flight *flight = stream->flight;
    uint64_t count = 0;
    for (uint64_t i = 0; i < flight->depth; i++) {
        const uint64_t start = started(&flight->slots[i]);
        if (start && start < now)
            taken[count++] = now - start - standstill_within(stream->work->standstill, start, now);
    }
    return count;
}
