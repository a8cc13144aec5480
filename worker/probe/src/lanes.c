#include "lanes.h"

#include "clock.h"
#include "stamp.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define RELAXED memory_order_relaxed

static void record(struct lane *lane, uint64_t start, uint64_t end)
{
    uint64_t latency = end - start;
    lane->histogram[histogram_index(latency)]++;
    if (latency < lane->latency_min)
        lane->latency_min = latency;
    if (latency > lane->latency_max)
        lane->latency_max = latency;
    if (latency > atomic_load_explicit(&lane->peak, RELAXED))
        atomic_store_explicit(&lane->peak, latency, RELAXED);
    if (latency < atomic_load_explicit(&lane->low, RELAXED))
        atomic_store_explicit(&lane->low, latency, RELAXED);
    uint64_t version = atomic_load_explicit(&lane->version, RELAXED);
    uint64_t ops = atomic_load_explicit(&lane->ops, RELAXED) + 1;
    uint64_t sum = atomic_load_explicit(&lane->latency_sum, RELAXED) + latency;
    atomic_store_explicit(&lane->version, version + 1, RELAXED);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&lane->ops, ops, RELAXED);
    atomic_store_explicit(&lane->latency_sum, sum, RELAXED);
    atomic_store_explicit(&lane->op_start, end, RELAXED);
    atomic_store_explicit(&lane->version, version + 2, memory_order_release);
}

struct tally lane_tally(const struct lane *lane)
{
    for (;;) {
        uint64_t before = atomic_load_explicit(&lane->version, memory_order_acquire);
        struct tally tally = {
            .ops = atomic_load_explicit(&lane->ops, RELAXED),
            .latency_sum = atomic_load_explicit(&lane->latency_sum, RELAXED),
        };
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&lane->version, RELAXED) == before)
            return tally;
    }
}

/* The rest of a block after a first call that moved less than all of it. */
static bool finish_block(struct lane *lane, char *buffer, uint64_t offset, ssize_t moved)
{
    const struct crew *crew = lane->crew;
    uint64_t done = moved > 0 ? (uint64_t)moved : 0;
    while (moved != 0 && done < crew->block) {
        if (moved < 0 && (errno != EINTR || atomic_load(&crew->stop)))
            return false;
        moved = crew->reads ? pread(lane->file->file, buffer + done, crew->block - done, (off_t)(offset + done))
                            : pwrite(lane->file->file, buffer + done, crew->block - done, (off_t)(offset + done));
        done += moved > 0 ? (uint64_t)moved : 0;
    }
    if (done == crew->block)
        return true;
    errno = EIO; /* the file ends before its size: not what was written */
    return false;
}

static void work(struct lane *lane)
{
    struct crew *const crew = lane->crew;
    struct test_file *const file = lane->file;
    const uint64_t block = crew->block, deadline = crew->deadline_ns, blocks = file->blocks;
    const bool reads = crew->reads, shared = file->shared;
    const uint64_t stamps = stamps_most(block);
    const int descriptor = file->file;
    uint64_t own = 0, window = 0, counter = lane->counter, start = clock_mono();
    atomic_store_explicit(&lane->op_start, start, RELAXED);
    while (!atomic_load_explicit(&crew->stop, RELAXED)) {
        uint64_t turn = shared ? atomic_fetch_add_explicit(&file->next, 1, RELAXED) : own++;
        if (turn >= blocks)
            break;
        uint64_t offset = turn * block;
        char *buffer = lane->pool + window * lane->stride;
        ssize_t moved;
        if (reads) {
            moved = pread(descriptor, buffer, block, (off_t)offset);
        } else {
            stamp_block(buffer, block, offset, file->key, counter);
            counter += stamps;
            window = window + 1 < lane->windows ? window + 1 : 0;
            moved = pwrite(descriptor, buffer, block, (off_t)offset);
        }
        if (moved != (ssize_t)block && !finish_block(lane, buffer, offset, moved)) {
            lane->error = errno;
            atomic_store(&crew->stop, true); /* the trial has failed: the others need not go on */
            break;
        }
        if (reads && !stamp_holds(buffer, block, offset, file->key))
            lane->verify_errors++;
        uint64_t end = clock_mono();
        record(lane, start, end);
        start = end;
        if (end >= deadline) {
            lane->timed_out = true;
            break;
        }
    }
    lane->last_end = start;
    atomic_store_explicit(&lane->op_start, 0, RELAXED);
}

static void await_stage(struct crew *crew, struct lane *lane, enum stage stage)
{
    atomic_store(&lane->idle, true);
    pthread_mutex_lock(&crew->mutex);
    while (crew->stage < stage)
        pthread_cond_wait(&crew->changed, &crew->mutex);
    bool leaves = crew->stage == STAGE_LEAVE;
    pthread_mutex_unlock(&crew->mutex);
    atomic_store(&lane->idle, leaves);
}

static void report(struct crew *crew, uint64_t *left)
{
    pthread_mutex_lock(&crew->mutex);
    if (--*left == 0)
        pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
}

static void *live(void *argument)
{
    struct lane *lane = argument;
    struct crew *crew = lane->crew;
    await_stage(crew, lane, STAGE_WORK);
    if (!atomic_load(&lane->idle)) {
        work(lane);
        report(crew, &crew->working);
    }
    await_stage(crew, lane, STAGE_SYNC);
    if (!atomic_load(&lane->idle)) {
        if (lane->syncs) {
            atomic_store_explicit(&lane->op_start, clock_mono(), RELAXED);
            if (fdatasync(lane->file->file) != 0)
                lane->sync_error = errno;
            atomic_store_explicit(&lane->op_start, 0, RELAXED);
        }
        report(crew, &crew->syncing);
    }
    atomic_store(&lane->idle, true);
    return NULL;
}

static void set_stage(struct crew *crew, enum stage stage)
{
    pthread_mutex_lock(&crew->mutex);
    crew->stage = stage;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
}

bool crew_start(struct crew *crew)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&crew->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    crew->stage = STAGE_WAIT;
    uint64_t wanted = crew->count;
    for (crew->count = 0; crew->count < wanted; crew->count++) {
        struct lane *lane = &crew->lanes[crew->count];
        lane->crew = crew;
        int error = pthread_create(&lane->thread, NULL, live, lane);
        if (error != 0) {
            crew_end(crew);
            errno = error;
            return false;
        }
    }
    crew->working = crew->syncing = crew->count;
    return true;
}

void crew_work(struct crew *crew, uint64_t timeout_ns)
{
    crew->started_ns = clock_mono();
    crew->deadline_ns = crew->started_ns + timeout_ns;
    set_stage(crew, STAGE_WORK);
}

void crew_sync(struct crew *crew)
{
    set_stage(crew, STAGE_SYNC);
}

bool crew_wait(struct crew *crew, uint64_t until)
{
    struct timespec time = clock_timespec(until);
    int waited = 0;
    pthread_mutex_lock(&crew->mutex);
    const uint64_t *left = crew->stage == STAGE_SYNC ? &crew->syncing : &crew->working;
    while (*left > 0 && waited == 0)
        waited = pthread_cond_timedwait(&crew->changed, &crew->mutex, &time);
    bool done = *left == 0;
    pthread_mutex_unlock(&crew->mutex);
    return done;
}

void crew_interrupt(struct crew *crew)
{
    for (uint64_t i = 0; i < crew->count; i++)
        if (!atomic_load(&crew->lanes[i].idle))
            pthread_kill(crew->lanes[i].thread, SIGUSR1);
}

void crew_end(struct crew *crew)
{
    atomic_store(&crew->stop, true);
    set_stage(crew, STAGE_LEAVE);
    for (uint64_t i = 0; i < crew->count; i++)
        pthread_join(crew->lanes[i].thread, NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
}
