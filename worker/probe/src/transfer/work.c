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
    return transfer->trial->integrity == INTEGRITY_CRC32C;
}

static uint32_t crc_of(const struct transfer *transfer, const char *data)
{
    return ~crc32c(CRC32C_BEGIN, data, transfer->trial->block, transfer->hardware);
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
static bool count_block(struct thread *thread, uint64_t start, uint64_t end)
{
    struct worker *worker = thread->own;
    const struct transfer_trial *trial = worker->transfer->trial;
    if (atomic_load_explicit(&thread->pool->closed, memory_order_relaxed))
        return false;
    add(&worker->bytes, trial->block);
    add(&worker->call_ns, end - start);
    worker->blocks++;
    look_at_cpu(worker, end);
    if (worker->counts)
        meter_record(&thread->meter, start, end, trial->block);
    else
        meter_start(&thread->meter, 0);
    if (end - thread->pool->started_ns < trial->ramp_ms * NS_PER_MS) {
        worker->ramp_bytes += trial->block;
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

/* The number of the next block from memory; false at the end of the trial. */
static bool claim(struct thread *thread, uint64_t *number)
{
    struct transfer *transfer = ((struct worker *)thread->own)->transfer;
    const uint64_t duration = transfer->trial->duration_ms * NS_PER_MS;
    if (duration && clock_mono() - thread->pool->started_ns >= duration)
        return false;
    *number = atomic_fetch_add_explicit(&transfer->next, 1, memory_order_relaxed);
    return *number < transfer->trial->all_blocks;
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

/* Each thread reads its own file, in which every so many blocks of the whole set follow each
 * other. */
static void read_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    const struct transfer_trial *trial = transfer->trial;
    struct buffer own, *buffer;
    for (uint64_t number; (number = worker->taken * trial->disk_threads + worker->index) < trial->all_blocks; worker->taken++) {
        if (is_over(thread) || !(buffer = take_empty(thread, &own)))
            return;
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        if (!move_block(thread, transfer->files[worker->index].file, buffer->data, worker->taken * trial->block, false)) {
            thread_fail(thread, errno);
            return;
        }
        const uint64_t end = clock_mono();
        const bool in_time = count_block(thread, start, end);
        buffer->number = number;
        buffer->crc = checks(transfer) ? crc_of(transfer, buffer->data) : 0;
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
        testdata_fill(transfer->pattern, &transfer->content, number * transfer->trial->block, buffer->data, transfer->trial->block);
        buffer->number = number;
        count_block(thread, start, clock_mono());
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
        testdata_fill(transfer->pattern, &transfer->content, own->number * transfer->trial->block, own->data,
                      transfer->trial->block);
    own->crc = checks(transfer) ? crc_of(transfer, own->data) : 0;
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
    const uint64_t block = transfer->trial->block;
    struct buffer own, *buffer;
    while (!is_over(thread) && take_block(thread, &own, &buffer)) {
        const struct frame frame = {.kind = FRAME_BLOCK, .crc = buffer->crc, .number = buffer->number, .bytes = block};
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        const enum moved moved = stream_send(&stream, &frame, buffer->data, block);
        if (moved != MOVED_ALL) {
            problem_of_call(problem_of(thread), thread, moved);
            return;
        }
        const bool in_time = count_block(thread, start, clock_mono());
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
    return frame->kind == FRAME_BLOCK && frame->bytes == transfer->trial->block &&
           frame->number < transfer->trial->all_blocks && frame->number < INT64_MAX / transfer->trial->block;
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
        frame.kind = 0;
        const enum moved moved = stream_receive(&stream, &frame, buffer->data, transfer->trial->block);
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
        count_block(thread, start, clock_mono());
        buffer->number = frame.number;
        buffer->crc = checks(transfer) ? crc_of(transfer, buffer->data) : 0;
        worker->crc_errors += buffer->crc != frame.crc;
        worker->digest = digest_add(worker->digest, buffer->number, buffer->crc);
        pass_on(worker, buffer);
    }
}

static void write_blocks(struct thread *thread)
{
    struct worker *worker = thread->own;
    struct transfer *transfer = worker->transfer;
    const struct transfer_trial *trial = transfer->trial;
    struct buffer *buffer;
    while (!is_over(thread) && (buffer = ring_take_filled(&transfer->ring, &thread->pool->stop, &worker->empty_ns))) {
        const int file = transfer->files[buffer->number % trial->disk_threads].file;
        const uint64_t start = clock_mono();
        meter_start(&thread->meter, start);
        if (!move_block(thread, file, buffer->data, buffer->number / trial->disk_threads * trial->block, true)) {
            thread_fail(thread, errno);
            return;
        }
        const uint64_t end = clock_mono();
        const bool in_time = count_block(thread, start, end);
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
