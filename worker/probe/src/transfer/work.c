/* The work of a pipeline's threads. */
#include "transfer/pipeline.h"

#include "clock.h"
#include "crc32c.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool checks(const struct transfer *transfer)
{
    return transfer->trial->integrity == PATH_INTEGRITY_CRC32C;
}

static uint32_t crc_of(const struct transfer *transfer, uint64_t number, const char *data)
{
    return checks(transfer) ? ~crc32c(CRC32C_BEGIN, data, unit_bytes(transfer->trial, number), transfer->hardware) : 0;
}

static void fill(const struct transfer *transfer, uint64_t number, char *data)
{
    const uint64_t block = transfer->trial->block;
    if (unit_is_pack(transfer->trial, number))
        small_files_fill(&transfer->small_files, transfer->pattern, number, data);
    else
        testdata_fill(transfer->pattern, &transfer->content, number * block, data, block);
}

static void add(_Atomic uint64_t *counter, uint64_t value)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value, memory_order_relaxed);
}

static struct problem *problem_of(const struct thread *thread)
{
    return &((struct worker *)thread->own)->transfer->problem;
}

#define LOOK_NS NS_PER_MS

/* Notes the CPU on which the thread runs, at most once in a millisecond. */
static void look_at_cpu(struct worker *worker, uint64_t now)
{
    if (now - worker->looked_ns < LOOK_NS)
        return;
    const int cpu = sched_getcpu();
    worker->looked_ns = now;
    if (cpu >= 0 && cpu < CPU_SETSIZE)
        CPU_SET(cpu, &worker->used);
}

/* Counts a block whose call has returned; false if the thread was abandoned meanwhile, or if the
 * time limit of the trial has passed. */
static bool count_block(struct thread *thread, uint64_t start, uint64_t end, uint64_t bytes)
{
    struct worker *worker = thread->own;
    const struct transfer_trial *trial = worker->transfer->trial;
    if (atomic_load_explicit(&thread->pool->closed, memory_order_relaxed))
        return false;
    add(&worker->bytes, bytes);
    add(&worker->call_ns, end - start);
    worker->blocks++;
    look_at_cpu(worker, end);
    if (worker->counts)
        meter_record(&thread->meter, start, end, bytes);
    else
        meter_start(&thread->meter, 0);
    if (end - thread->pool->started_ns < trial->ramp_ms * NS_PER_MS) {
        worker->ramp_bytes += bytes;
        worker->ramp_ns = end - thread->pool->started_ns;
    }
    if (end < thread->pool->deadline_ns)
        return true;
    thread->timed_out = true;
    return false;
}

static bool is_over(const struct thread *thread)
{
    return atomic_load_explicit(&thread->pool->stop, memory_order_relaxed) ||
           atomic_load_explicit(&thread->pool->closed, memory_order_relaxed);
}

/* The number of the next block from memory, or pack; false at the end of the trial. */
static bool claim(struct thread *thread, uint64_t *number)
{
    struct transfer *transfer = ((struct worker *)thread->own)->transfer;
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t duration = trial->duration_ms * NS_PER_MS;
    if (duration && clock_mono() - thread->pool->started_ns >= duration)
        return false;
    const uint64_t step = atomic_fetch_add_explicit(&transfer->next, 1, memory_order_relaxed);
    if (step >= all_units(trial))
        return false;
    *number = mixed_unit(step, trial->all_blocks, trial->packs);
    return true;
}

static char *next_window(struct worker *worker)
{
    char *window = worker->memory + worker->window * worker->transfer->trial->block;
    worker->window = worker->window + 1 < worker->windows ? worker->window + 1 : 0;
    return window;
}

/* A buffer to fill: of the ring, or of the thread's own. */
static struct buffer *take_empty(struct thread *thread, struct buffer *own)
{
    struct worker *worker = thread->own;
    if (!worker->memory)
        return ring_take_free(&worker->transfer->ring, &thread->pool->stop, &worker->full_ns);
    own->data = next_window(worker);
    return own;
}

static void pass_on(struct worker *worker, struct buffer *buffer)
{
    if (!worker->memory)
        ring_put_filled(&worker->transfer->ring, buffer);
}

/* Transfers a block between a file and memory; false with errno, EINTR at a stop. */
static bool move_block(struct thread *thread, int file, char *data, uint64_t offset, bool writes)
{
    const uint64_t block = ((struct worker *)thread->own)->transfer->trial->block;
    for (uint64_t done = 0; done < block;) {
        ssize_t moved = writes ? pwrite(file, data + done, block - done, (off_t)(offset + done))
                               : pread(file, data + done, block - done, (off_t)(offset + done));
        if (moved == 0) {
            errno = EIO; /* the file is shorter than the written data */
            return false;
        }
        if (moved < 0 && errno != EINTR)
            return false;
        if (moved < 0 && atomic_load(&thread->pool->stop))
            return false;
        done += moved > 0 ? (uint64_t)moved : 0;
    }
    return true;
}

/* Of `all` that the threads share in turns, how many are this one's. */
static uint64_t share_of(const struct worker *worker, uint64_t all)
{
    const uint64_t threads = worker->transfer->trial->disk_threads;
    return all / threads + (worker->index < all % threads);
}

/* The number of the next unit of a thread that reads; false after the last. Each thread reads its own
 * file, in which every so many blocks of the whole set follow each other, and as many packs. */
static bool next_to_read(struct worker *worker, uint64_t *number)
{
    const struct transfer_trial *trial = worker->transfer->trial;
    const uint64_t blocks = share_of(worker, trial->all_blocks), packs = share_of(worker, trial->packs);
    if (worker->taken == blocks + packs)
        return false;
    const uint64_t own = mixed_unit(worker->taken++, blocks, packs);
    *number = own < blocks ? own * trial->disk_threads + worker->index
                           : trial->all_blocks + (own - blocks) * trial->disk_threads + worker->index;
    return true;
}

/* Reads or writes the files of a pack, or a block of a large file; false with errno, EINTR at a stop. */
static bool move_unit(struct thread *thread, uint64_t number, char *data, bool writes)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    const struct transfer_trial *trial = transfer->trial;
    if (!unit_is_pack(trial, number))
        return move_block(thread, transfer->files[number % trial->disk_threads].file, data,
                          number / trial->disk_threads * trial->block, writes);
    return writes ? small_files_write(&transfer->small_files, worker->index, number, data, &thread->pool->stop)
                  : small_files_read(&transfer->small_files, worker->index, number, data, &thread->pool->stop);
}

static bool is_as_prepared(struct transfer *transfer, const struct buffer *buffer)
{
    return !checks(transfer) || !unit_is_pack(transfer->trial, buffer->number) ||
           small_files_match(&transfer->small_files, buffer->number, buffer->crc);
}

static void read_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    struct buffer own, *buffer;
    for (uint64_t number; next_to_read(worker, &number);) {
        if (is_over(thread) || !(buffer = take_empty(thread, &own)))
            return;
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        if (!move_unit(thread, number, buffer->data, false)) {
            thread_fail(thread, errno);
            return;
        }
        const uint64_t end = clock_mono();
        const bool in_time = count_block(thread, start, end, unit_bytes(transfer->trial, number));
        buffer->number = number;
        buffer->crc = crc_of(transfer, number, buffer->data);
        if (!is_as_prepared(transfer, buffer)) {
            thread_fail(thread, errno);
            return;
        }
        worker->digest = digest_add(worker->digest, number, buffer->crc);
        pass_on(worker, buffer);
        if (!in_time)
            return;
    }
    worker->finished = true;
}

static void fill_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    const struct transfer *transfer = worker->transfer;
    struct buffer own, *buffer;
    uint64_t number;
    while (!is_over(thread) && claim(thread, &number)) {
        if (!(buffer = take_empty(thread, &own)))
            return;
        const uint64_t start = clock_mono();
        fill(transfer, number, buffer->data);
        buffer->number = number;
        count_block(thread, start, clock_mono(), unit_bytes(transfer->trial, number));
        pass_on(worker, buffer);
    }
    worker->finished = !is_over(thread);
}

/* The next block to send; false at the end. */
static bool take_block(struct thread *thread, struct buffer *own, struct buffer **buffer)
{
    struct worker *worker = thread->own;
    const struct transfer *transfer = worker->transfer;
    if (!worker->memory) {
        *buffer = ring_take_filled(&worker->transfer->ring, &thread->pool->stop, &worker->empty_ns);
        return *buffer != NULL;
    }
    if (!claim(thread, &own->number))
        return false;
    own->data = next_window(worker);
    if (transfer->generates)
        fill(transfer, own->number, own->data);
    own->crc = crc_of(transfer, own->number, own->data);
    *buffer = own;
    return true;
}

static struct stream stream_of(struct thread *thread)
{
    const struct worker *worker = thread->own;
    return (struct stream){
        .socket = worker->transfer->link.sockets[worker->transfer->link.first + worker->index],
        .silence_ns = worker->transfer->trial->link.silence_ms * NS_PER_MS,
        .stop = &thread->pool->stop,
    };
}

/* Tells the other end that this stream is complete, and compares its receipt. */
static void end_stream(struct thread *thread, const struct stream *stream)
{
    struct worker *worker = thread->own;
    const struct frame end = {
        .kind = FRAME_END, .number = thread->timed_out, .blocks = worker->blocks, .digest = worker->digest};
    struct frame receipt = {0};
    enum moved moved = stream_send(stream, &end, NULL, 0);
    shutdown(stream->socket, SHUT_WR); /* nothing follows: the other end does not wait for data */
    if (moved == MOVED_ALL)
        moved = stream_receive(stream, &receipt, NULL, 0);
    if (moved != MOVED_ALL) {
        problem_of_call(problem_of(thread), thread, moved);
        return;
    }
    if (receipt.kind != FRAME_RECEIPT) {
        problem_raise(problem_of(thread), thread, PROBLEM_FRAME, 0);
        return;
    }
    worker->peer_digest = receipt.digest;
    worker->met = true;
    if (receipt.blocks != end.blocks || receipt.digest != end.digest)
        problem_raise(problem_of(thread), thread, PROBLEM_DIGEST, 0);
    else
        worker->finished = !thread->timed_out;
}

static void send_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    const struct stream stream = stream_of(thread);
    struct buffer own, *buffer;
    while (!is_over(thread) && take_block(thread, &own, &buffer)) {
        const uint64_t bytes = unit_bytes(transfer->trial, buffer->number);
        const struct frame frame = {.kind = FRAME_BLOCK, .crc = buffer->crc, .number = buffer->number, .bytes = bytes};
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        const enum moved moved = stream_send(&stream, &frame, buffer->data, bytes);
        if (moved != MOVED_ALL) {
            problem_of_call(problem_of(thread), thread, moved);
            return;
        }
        const bool in_time = count_block(thread, start, clock_mono(), bytes);
        worker->digest = digest_add(worker->digest, buffer->number, buffer->crc);
        if (!worker->memory)
            ring_put_free(&transfer->ring, buffer);
        if (!in_time)
            break;
    }
    meter_start(&thread->meter, 0);
    if (!is_over(thread))
        end_stream(thread, &stream);
}

static bool is_block(const struct transfer *transfer, const struct frame *frame)
{
    return frame->kind == FRAME_BLOCK && frame->number < all_units(transfer->trial) &&
           frame->number < INT64_MAX / transfer->trial->block && frame->bytes == unit_bytes(transfer->trial, frame->number);
}

/* Receives a frame. All blocks have the same length, and come with their header; packs do not, so that
 * their headers, and those of the blocks among them, are received and checked first. */
static enum moved receive_frame(const struct stream *stream, const struct transfer *transfer, struct frame *frame, char *data)
{
    frame->kind = 0;
    if (transfer->trial->packs == 0)
        return stream_receive(stream, frame, data, transfer->trial->block);
    const enum moved moved = stream_receive(stream, frame, NULL, 0);
    return moved == MOVED_ALL && is_block(transfer, frame) ? stream_receive_data(stream, data, frame->bytes) : moved;
}

/* The sender has ended this stream: both must have counted the same blocks. */
static void take_end(struct thread *thread, const struct stream *stream, const struct frame *end)
{
    struct worker *worker = thread->own;
    const struct frame receipt = {.kind = FRAME_RECEIPT, .blocks = worker->blocks, .digest = worker->digest};
    worker->peer_digest = end->digest;
    worker->met = true;
    thread->timed_out = end->number == 1;
    const enum moved moved = stream_send(stream, &receipt, NULL, 0);
    if (moved != MOVED_ALL)
        problem_of_call(problem_of(thread), thread, moved);
    else if (end->blocks != receipt.blocks || end->digest != receipt.digest)
        problem_raise(problem_of(thread), thread, PROBLEM_DIGEST, 0);
    else
        worker->finished = !thread->timed_out;
}

static void receive_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    const struct stream stream = stream_of(thread);
    struct buffer own, *buffer;
    struct frame frame;
    while (!is_over(thread) && (buffer = take_empty(thread, &own))) {
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        const enum moved moved = receive_frame(&stream, transfer, &frame, buffer->data);
        if (moved != MOVED_ALL) {
            problem_of_call(problem_of(thread), thread, moved);
            return;
        }
        if (frame.kind == FRAME_END) {
            meter_start(&thread->meter, 0);
            take_end(thread, &stream, &frame);
            return;
        }
        if (!is_block(transfer, &frame)) {
            problem_raise(problem_of(thread), thread, PROBLEM_FRAME, 0);
            return;
        }
        count_block(thread, start, clock_mono(), frame.bytes);
        buffer->number = frame.number;
        buffer->crc = crc_of(transfer, buffer->number, buffer->data);
        worker->crc_errors += buffer->crc != frame.crc;
        worker->digest = digest_add(worker->digest, buffer->number, buffer->crc);
        pass_on(worker, buffer);
    }
}

static void write_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    struct buffer *buffer;
    while (!is_over(thread) && (buffer = ring_take_filled(&transfer->ring, &thread->pool->stop, &worker->empty_ns))) {
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        if (!move_unit(thread, buffer->number, buffer->data, true)) {
            thread_fail(thread, errno);
            return;
        }
        const uint64_t end = clock_mono();
        const bool in_time = count_block(thread, start, end, unit_bytes(transfer->trial, buffer->number));
        ring_put_free(&transfer->ring, buffer);
        if (!in_time)
            return;
    }
    worker->finished = !is_over(thread);
}

void pipeline_work(struct thread *thread)
{
    static void (*const works[])(struct thread *) = {
        [STAGE_READ] = read_blocks,       [STAGE_FILL] = fill_blocks,   [STAGE_SEND] = send_blocks,
        [STAGE_RECEIVE] = receive_blocks, [STAGE_WRITE] = write_blocks,
    };
    struct worker *worker = thread->own;
    meter_begin(&thread->meter, clock_mono());
    if (!worker) /* this end has no part in the leg */
        return;
    thread_enters(thread, stage_calls[worker->kind]);
    works[worker->kind](thread);
    meter_start(&thread->meter, 0);
    if ((worker->kind == STAGE_SEND || worker->kind == STAGE_RECEIVE) && !worker->finished)
        link_cut(worker->transfer->link.sockets[worker->transfer->link.first + worker->index]);
    if (!worker->counts)
        ring_filler_ends(&worker->transfer->ring);
    if (thread->timed_out) /* the others have no more time either */
        atomic_store(&thread->pool->stop, true);
}
