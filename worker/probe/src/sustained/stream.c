#include "sustained/stream.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>

static void start_clock(struct threadpool *pool)
{
    struct work *own = pool->own;
    own->still_ns = pool->started_ns - standstill_moving(own->standstill, pool->started_ns);
    own->schedule.started_ns = pool->started_ns - own->still_ns;
    own->schedule.overdue = &pool->overdue;
    own->schedule.until_ns = own->duration_ns ? pool->started_ns + own->duration_ns : UINT64_MAX;
    own->measured_ns = pool->started_ns + own->ramp_ns;
    marks_begin(&own->marks, own->measured_ns);
    for (uint64_t i = 0; i < own->count; i++) {
        own->streams[i].files.synced_ns = pool->started_ns;
        own->streams[i].files.measured_ns = own->measured_ns;
    }
}

static int prepare_thread(struct thread *thread)
{
    struct stream *stream = thread->own;
    prctl(PR_SET_TIMERSLACK, 1); /* ns: else the kernel may delay each wake-up by 50 us */
    const struct priority *priority = &stream->files.trial->priority;
    int error = priority_take_below(priority); /* its data thread inherits that, and never delays a call */
    if (!error)
        error = blocks_begin(&stream->blocks);
    return error ? error : priority_take(priority);
}

uint64_t stream_backlog(struct work *work, uint64_t now)
{
    if (work->schedule.pacing != PACE_RATE)
        return 0;
    const uint64_t due = pace_due_count(&work->schedule, standstill_moving(work->standstill, now));
    const uint64_t begun = atomic_load(&work->begun);
    return due > begun ? (due - begun) * work->schedule.block : 0;
}

static void raise_to(_Atomic uint64_t *value, uint64_t least)
{
    uint64_t now = atomic_load(value);
    while (now < least && !atomic_compare_exchange_weak(value, &now, least))
        ;
}

static void add_direction(struct direction *direction, const struct operation_done *done)
{
    const uint64_t latency = done->end_ns - done->start_ns - done->still_ns;
    direction->latency_min = direction->ops++ && direction->latency_min < latency ? direction->latency_min : latency;
    direction->latency_max = latency > direction->latency_max ? latency : direction->latency_max;
    direction->latency_sum += latency;
    direction->bytes += done->bytes;
    direction->histogram[histogram_index(latency)]++;
    if (done->due_ns) {
        direction->due_histogram[histogram_index(done->late_ns)]++;
        direction->due_max = done->late_ns > direction->due_max ? done->late_ns : direction->due_max;
    }
}

/* The time from `due` of the moving clock to `end`; 0 without a rate. The process may have stood still
 * between two operations. */
static uint64_t late_ns(const struct work *work, uint64_t due, uint64_t end)
{
    uint64_t moving = due ? standstill_moving(work->standstill, end) : 0;
    if (moving > due + STANDSTILL_LEAST_NS) {
        standstill_await(work->standstill, end);
        moving = standstill_moving(work->standstill, end);
    }
    return moving > due ? moving - due : 0;
}

void stream_add(struct stream *stream, struct operation_done *done, uint64_t offset)
{
    struct work *work = stream->work;
    const uint64_t latency = done->end_ns - done->start_ns - done->still_ns;
    done->late_ns = late_ns(work, done->due_ns, done->end_ns);
    const uint64_t backlog = stream_backlog(work, done->end_ns);
    const uint64_t moved_before = stream->moved;
    uint64_t none = UINT64_MAX;
    stream->moved += done->bytes;
    if (done->due_ns && standstill_moving(work->standstill, done->end_ns) >= pace_last_due(&work->schedule))
        atomic_compare_exchange_strong(&work->backlog_end, &none, backlog);
    if (done->start_ns < work->measured_ns) {
        stream->ramp_ops++;
        stream->ramp_bytes += done->bytes;
        return;
    }
    stream->histogram[histogram_index(latency)]++;
    raise_to(&work->backlog_max, backlog);
    if (done->due_ns) {
        stream->due_histogram[histogram_index(done->late_ns)]++;
        stream->due_max = done->late_ns > stream->due_max ? done->late_ns : stream->due_max;
    }
    if (stream->blocks.mixed)
        add_direction(done->reads ? &stream->read : &stream->write, done);
    backlog_add(&stream->backlog, &work->rates, work->count, done->busy_ns, done->bytes, done->end_ns);
    frames_add(&stream->frames, moved_before, done->bytes, done->busy_ns);
    slowest_add(&stream->slowest, &(struct slow_operation){latency, done->end_ns, offset, stream->number});
    if (marks_add(&work->marks, stream->number, done))
        marks_close(&work->marks, done->end_ns, backlog);
}

/* Operations that took at least `latency` by `end` of the moving clock and have not returned, of `done`
 * that have. */
static uint64_t pending(const struct stream *stream, uint64_t done, uint64_t end, uint64_t latency)
{
    const uint64_t due = latency <= end ? pace_due_of(&stream->pace, stream->number, end - latency) : 0;
    return due > done ? due - done : 0;
}

void stream_add_unfinished(struct stream *stream, uint64_t done, uint64_t end)
{
    const struct schedule *schedule = &stream->work->schedule;
    if (schedule->pacing != PACE_RATE)
        return;
    end = standstill_moving(stream->work->standstill, end > stream->busy_until_ns ? end : stream->busy_until_ns);
    stream->due_unfinished = pending(stream, done, end, 0);
    if (stream->due_unfinished == 0)
        return;
    const uint64_t longest = end - pace_due(schedule, stream->number + done * stream->pace.stride);
    stream->due_max = longest > stream->due_max ? longest : stream->due_max;
    for (uint64_t step = 0; step < HISTOGRAM_STEPS; step++) {
        const bool last = step + 1 == HISTOGRAM_STEPS;
        stream->due_histogram[step] += pending(stream, done, end, histogram_lower(step)) -
                                       (last ? 0 : pending(stream, done, end, histogram_lower(step + 1)));
    }
}

void stream_begin(struct stream *stream)
{
    const struct sustained_trial *trial = stream->files.trial;
    const bool drops = sustained_random(trial) && sustained_reads(trial) && trial->cache == SUSTAINED_CACHE_PAGE;
    atomic_fetch_add_explicit(&stream->work->begun, 1, memory_order_relaxed);
    if (drops && stream->turns > 0 && stream->turns % stream->access.blocks == 0)
        posix_fadvise(streamfiles_current(&stream->files), 0, 0, POSIX_FADV_DONTNEED);
    stream->turns++;
}

void stream_return(struct stream *stream, struct block *block)
{
    if (stream->blocks.reads)
        block->offset %= stream->footprint; /* of the data that was written there */
    blocks_done(&stream->blocks, block);
}

/* Writes or reads a block of the stream's files; -1 with errno. */
static int64_t move_block(struct stream *stream, const struct block *block, int64_t at, const atomic_bool *stop)
{
    struct test_file file = {.file = streamfiles_current(&stream->files)};
    const struct blocks target = {.file = &file, .size = stream->blocks.size};
    const struct block moved = {.offset = (uint64_t)at, .data = block->data, .reads = block->reads};
    return block_move(&target, &moved, stop);
}

bool stream_sync_is_due(struct stream *stream, const struct operation_done *done)
{
    const struct sustained_trial *trial = stream->files.trial;
    stream->files.unsynced += done->reads ? 0 : done->bytes;
    if (trial->sync_ms)
        return done->end_ns >= stream->files.synced_ns + trial->sync_ms * NS_PER_MS;
    return trial->sync_bytes && stream->files.unsynced >= trial->sync_bytes;
}

bool stream_sync(struct thread *thread, uint64_t *busy_ns)
{
    struct stream *stream = thread->own;
    meter_start(&thread->meter, clock_mono());
    int error = streamfiles_sync(&stream->files, busy_ns);
    stream->busy_until_ns = clock_mono();
    meter_start(&thread->meter, 0);
    if (error)
        thread_fail(thread, error);
    return error == 0;
}

bool stream_wait_turn(struct thread *thread, uint64_t *due)
{
    const struct threadpool *pool = thread->pool;
    struct stream *stream = thread->own;
    const bool paced = stream->pace.schedule->pacing != PACE_NONE;
    if (paced)
        thread_enters(thread, NULL); /* sleep is no call into the target */
    const bool begins = pace_wait(&stream->pace, &pool->stop, due);
    if (paced)
        thread_enters(thread, pool->work_call);
    thread->timed_out = !begins && atomic_load(&pool->overdue);
    return begins;
}

/* Goes to the stream's next block and waits for its turn; false if none begins any more. */
static bool take_turn(struct thread *thread, struct stream *stream, struct block *block, uint64_t *due)
{
    if (blocks_next(&stream->blocks, block) && stream_wait_turn(thread, due))
        return true;
    stream->finished = !thread->timed_out && !atomic_load_explicit(&thread->pool->stop, memory_order_relaxed);
    return false;
}

static void work(struct thread *thread)
{
    struct threadpool *const pool = thread->pool;
    struct stream *const stream = thread->own;
    struct meter *const meter = &thread->meter;
    const bool mixed = stream->blocks.mixed;
    struct block block;
    uint64_t due, busy_ns = 0;
    meter_begin(meter, clock_mono());
    while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        if (!take_turn(thread, stream, &block, &due))
            break;
        stream_begin(stream);
        meter_start(meter, clock_mono());
        int64_t at = streamfiles_seek(&stream->files, block.offset, &busy_ns);
        struct operation_done done = {.start_ns = clock_mono(), .due_ns = due, .reads = block.reads};
        meter_start(meter, done.start_ns);
        int64_t moved = at < 0 ? -1 : move_block(stream, &block, at, &pool->stop);
        if (atomic_load_explicit(&pool->closed, memory_order_relaxed))
            return;
        if (moved < 0) {
            thread_fail(thread, errno);
            break;
        }
        done.end_ns = clock_mono();
        done.still_ns = standstill_within(stream->work->standstill, done.start_ns, done.end_ns);
        done.bytes = (uint64_t)moved;
        meter_add(meter, &(struct metered){.start = done.start_ns,
                                           .end = done.end_ns,
                                           .moved = done.bytes,
                                           .still = done.still_ns,
                                           .busy = done.end_ns - done.start_ns,
                                           .apart = mixed && block.reads});
        const uint64_t offset = block.offset;
        stream_return(stream, &block);
        done.busy_ns = busy_ns + done.end_ns - done.start_ns - done.still_ns;
        stream_add(stream, &done, offset);
        busy_ns = 0;
        if (stream_sync_is_due(stream, &done) && !stream_sync(thread, &busy_ns))
            break;
        if (atomic_load_explicit(&pool->overdue, memory_order_relaxed)) {
            thread->timed_out = true;
            break;
        }
    }
    meter_start(meter, 0);
}

static void complete_thread(struct thread *thread)
{
    struct stream *stream = thread->own;
    blocks_end(&stream->blocks);
}

static int sync_files(struct thread *thread)
{
    struct stream *stream = thread->own;
    return streamfiles_sync_all(&stream->files, &thread->pool->stop);
}

struct task stream_task(void)
{
    return (struct task){
        .begin = start_clock, .prepare = prepare_thread, .work = work, .complete = complete_thread, .sync = sync_files};
}
