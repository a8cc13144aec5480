#include "lanes.h"

#include "clock.h"
#include "heartbeat.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define RELAXED memory_order_relaxed
#define CLOSING_NS (50 * NS_PER_MS) /* for a lane that has just returned from the kernel to count that */

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
    atomic_store_explicit(&lane->op_start, 0, RELAXED);
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

uint64_t lane_last_end(const struct lane *lane)
{
    return atomic_load_explicit(&lane->last_end, RELAXED);
}

/* The rest of a block after a first call that moved less than all of it. */
static bool finish_block(struct lane *lane, char *buffer, uint64_t offset, ssize_t moved)
{
    const struct crew *crew = lane->crew;
    uint64_t done = moved > 0 ? (uint64_t)moved : 0;
    while (moved != 0 && done < crew->block) {
        if (moved < 0 && errno != EINTR)
            return false;
        if (atomic_load(&crew->stop)) {
            errno = EINTR; /* after a stop no new call begins */
            return false;
        }
        moved = crew->reads ? pread(lane->file->file, buffer + done, crew->block - done, (off_t)(offset + done))
                            : pwrite(lane->file->file, buffer + done, crew->block - done, (off_t)(offset + done));
        done += moved > 0 ? (uint64_t)moved : 0;
    }
    if (done == crew->block)
        return true;
    errno = EIO; /* the file ends before its size: not what was written */
    return false;
}

static bool call(struct lane *lane, const struct block *block)
{
    const struct crew *crew = lane->crew;
    const int file = lane->file->file;
    ssize_t moved = crew->reads ? pread(file, block->data, crew->block, (off_t)block->offset)
                                : pwrite(file, block->data, crew->block, (off_t)block->offset);
    return moved == (ssize_t)crew->block || finish_block(lane, block->data, block->offset, moved);
}

static void work(struct lane *lane)
{
    struct crew *const crew = lane->crew;
    const uint64_t began = clock_mono();
    struct block block;
    atomic_store_explicit(&lane->last_end, began, RELAXED);
    while (blocks_next(&lane->blocks, &block) && !atomic_load_explicit(&crew->stop, RELAXED)) {
        uint64_t start = clock_mono();
        atomic_store_explicit(&lane->op_start, start, RELAXED);
        bool moved = call(lane, &block);
        if (atomic_load_explicit(&crew->closed, RELAXED))
            return;
        if (!moved) {
            lane->error = errno;
            atomic_store(&crew->stop, true); /* the trial has failed: the others need not go on */
            break;
        }
        uint64_t end = clock_mono();
        record(lane, start, end);
        atomic_store_explicit(&lane->last_end, end, RELAXED);
        blocks_done(&lane->blocks, &block);
        if (end >= crew->deadline_ns) {
            lane->timed_out = true;
            break;
        }
    }
    atomic_store_explicit(&lane->op_start, 0, RELAXED);
    lane->data_ns = lane_last_end(lane) - began - lane_tally(lane).latency_sum;
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
    lane->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    lane->error = blocks_begin(&lane->blocks, crew->threaded);
    report(crew, &crew->preparing);
    await_stage(crew, lane, STAGE_WORK);
    bool works = !atomic_load(&lane->idle);
    thread_calls(crew->reads ? "pread" : "pwrite");
    if (works)
        work(lane);
    thread_calls(NULL);
    blocks_end(&lane->blocks);
    if (works)
        report(crew, &crew->working);
    await_stage(crew, lane, STAGE_SYNC);
    if (!atomic_load(&lane->idle)) {
        if (lane->syncs) {
            thread_calls("fdatasync");
            atomic_store_explicit(&lane->op_start, clock_mono(), RELAXED);
            int failed = fdatasync(lane->file->file);
            lane->synced_ns = clock_mono();
            if (failed)
                atomic_store(&lane->sync_error, errno);
            atomic_store_explicit(&lane->op_start, 0, RELAXED);
            thread_calls(NULL);
        }
        report(crew, &crew->syncing);
    }
    atomic_store(&lane->idle, true);
    report(crew, &crew->present);
    return NULL;
}

static void set_stage(struct crew *crew, enum stage stage)
{
    pthread_mutex_lock(&crew->mutex);
    crew->stage = stage;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
}

/* Returns the errno of a lane that could not prepare, or 0. */
static int await_preparation(struct crew *crew)
{
    int error = 0;
    pthread_mutex_lock(&crew->mutex);
    while (crew->preparing > 0)
        pthread_cond_wait(&crew->changed, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
    for (uint64_t i = 0; i < crew->count; i++)
        error = crew->lanes[i].error ? crew->lanes[i].error : error;
    return error;
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
    int error = 0;
    crew->present = crew->preparing = crew->working = crew->syncing = wanted;
    for (crew->count = 0; crew->count < wanted && error == 0; crew->count += error == 0) {
        struct lane *lane = &crew->lanes[crew->count];
        lane->crew = crew;
        lane->schedstat = -1;
        error = pthread_create(&lane->thread, NULL, live, lane);
    }
    if (error == 0)
        error = await_preparation(crew);
    if (error != 0) {
        crew_leave(crew);
        crew_end(crew);
        errno = error;
    }
    return error == 0;
}

bool crew_run_delay(struct crew *crew, uint64_t *ns)
{
    bool known = true;
    *ns = 0;
    for (uint64_t i = 0; i < crew->count; i++) {
        struct lane *lane = &crew->lanes[i];
        if (heartbeat_run_delay(lane->schedstat, &lane->run_delay_ns))
            lane->has_run_delay = true; /* a lane that has ended keeps what it had */
        known = known && lane->has_run_delay;
        *ns += lane->run_delay_ns;
    }
    return known;
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

static bool wait_for(struct crew *crew, const uint64_t *left, uint64_t until, uint64_t *now)
{
    struct timespec time = clock_timespec(until);
    int waited = 0;
    pthread_mutex_lock(&crew->mutex);
    while (*left > 0 && waited == 0)
        waited = pthread_cond_timedwait(&crew->changed, &crew->mutex, &time);
    *now = clock_mono();
    bool done = *left == 0;
    pthread_mutex_unlock(&crew->mutex);
    return done;
}

bool crew_wait(struct crew *crew, uint64_t until, uint64_t *now)
{
    return wait_for(crew, crew->stage == STAGE_SYNC ? &crew->syncing : &crew->working, until, now);
}

bool crew_gone(struct crew *crew, uint64_t until, uint64_t *now)
{
    return wait_for(crew, &crew->present, until, now);
}

void crew_interrupt(struct crew *crew)
{
    for (uint64_t i = 0; i < crew->count; i++)
        if (!atomic_load(&crew->lanes[i].idle))
            pthread_kill(crew->lanes[i].thread, SIGUSR1);
}

void crew_leave(struct crew *crew)
{
    atomic_store(&crew->stop, true);
    set_stage(crew, STAGE_LEAVE);
}

void crew_abandon(struct crew *crew)
{
    atomic_store(&crew->closed, true);
    clock_sleep(CLOSING_NS);
}

void crew_end(struct crew *crew)
{
    for (uint64_t i = 0; i < crew->count; i++) {
        pthread_join(crew->lanes[i].thread, NULL);
        if (crew->lanes[i].schedstat >= 0)
            close(crew->lanes[i].schedstat);
    }
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
}
