#include "threadpool.h"

#include "clock.h"
#include "heartbeat.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLOSING_NS (50 * NS_PER_MS) /* time for a thread that has just returned from the kernel to
                                     * count its operation */

bool threadpool_make(struct threadpool *pool, uint64_t count)
{
    if (posix_memalign((void **)&pool->threads, METER_LINE, count * sizeof *pool->threads) != 0) {
        pool->threads = NULL;
        errno = ENOMEM;
        return false;
    }
    memset(pool->threads, 0, count * sizeof *pool->threads);
    for (uint64_t i = 0; i < count; i++)
        meter_clear(&pool->threads[i].meter);
    pool->count = count;
    return true;
}

void threadpool_free(struct threadpool *pool)
{
    free(pool->threads);
    pool->threads = NULL;
}

uint64_t threadpool_bytes(const struct threadpool *pool)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < pool->count; i++)
        bytes += meter_tally(&pool->threads[i].meter).bytes;
    return bytes;
}

uint64_t threadpool_last_end(const struct threadpool *pool)
{
    uint64_t last = pool->started_ns;
    for (uint64_t i = 0; i < pool->count; i++) {
        const struct meter *meter = &pool->threads[i].meter;
        if (meter_tally(meter).ops && meter_last_end(meter) > last)
            last = meter_last_end(meter);
    }
    return last;
}

const char *thread_enters(struct thread *thread, const char *call)
{
    thread_calls(call);
    return atomic_exchange(&thread->call, call);
}

const char *threadpool_call(const struct threadpool *pool)
{
    const char *oldest = pool->stage == STAGE_SYNC ? pool->sync_call : pool->work_call;
    uint64_t since = UINT64_MAX;
    for (uint64_t i = 0; i < pool->count; i++) {
        const struct thread *thread = &pool->threads[i];
        const uint64_t started = meter_started(&thread->meter);
        const char *call = atomic_load(&thread->call);
        if (started == 0 || started >= since || !call)
            continue;
        since = started;
        oldest = call;
    }
    return oldest;
}

static void await_stage(struct threadpool *pool, struct thread *thread, enum stage stage)
{
    atomic_store(&thread->idle, true);
    pthread_mutex_lock(&pool->mutex);
    while (pool->stage < stage)
        pthread_cond_wait(&pool->changed, &pool->mutex);
    bool leaves = pool->stage == STAGE_LEAVE;
    pthread_mutex_unlock(&pool->mutex);
    atomic_store(&thread->idle, leaves);
}

static void report(struct threadpool *pool, uint64_t *left)
{
    pthread_mutex_lock(&pool->mutex);
    if (--*left == 0)
        pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->mutex);
}

static void work(struct threadpool *pool, struct thread *thread)
{
    thread_enters(thread, pool->work_call);
    pool->task.work(thread);
    thread_enters(thread, NULL);
}

static void sync_own(struct threadpool *pool, struct thread *thread)
{
    thread_enters(thread, pool->sync_call);
    meter_start(&thread->meter, clock_mono());
    int error = pool->task.sync(thread);
    thread->synced_ns = clock_mono();
    if (error)
        atomic_store(&thread->sync_error, error);
    meter_start(&thread->meter, 0);
    thread_enters(thread, NULL);
}

static void *live(void *argument)
{
    struct thread *thread = argument;
    struct threadpool *pool = thread->pool;
    thread->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    thread->error = pool->task.prepare(thread);
    report(pool, &pool->preparing);
    await_stage(pool, thread, STAGE_WORK);
    bool works = !atomic_load(&thread->idle);
    if (works)
        work(pool, thread);
    pool->task.complete(thread);
    if (works)
        report(pool, &pool->working);
    await_stage(pool, thread, STAGE_SYNC);
    if (!atomic_load(&thread->idle)) {
        if (thread->syncs)
            sync_own(pool, thread);
        report(pool, &pool->syncing);
    }
    atomic_store(&thread->idle, true);
    report(pool, &pool->present);
    return NULL;
}

void thread_fail(struct thread *thread, int error)
{
    thread->error = error;
    atomic_store(&thread->pool->stop, true);
}

static void set_stage(struct threadpool *pool, enum stage stage)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stage = stage;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->mutex);
}

/* Returns the errno of a thread that could not prepare, or 0. */
static int await_preparation(struct threadpool *pool)
{
    int error = 0;
    pthread_mutex_lock(&pool->mutex);
    while (pool->preparing > 0)
        pthread_cond_wait(&pool->changed, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    for (uint64_t i = 0; i < pool->count; i++)
        error = pool->threads[i].error ? pool->threads[i].error : error;
    return error;
}

bool threadpool_start(struct threadpool *pool)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pool->stage = STAGE_WAIT;
    uint64_t wanted = pool->count;
    int error = 0;
    pool->present = pool->preparing = pool->working = pool->syncing = wanted;
    for (pool->count = 0; pool->count < wanted && error == 0; pool->count += error == 0) {
        struct thread *thread = &pool->threads[pool->count];
        thread->pool = pool;
        thread->schedstat = -1;
        error = pthread_create(&thread->handle, NULL, live, thread);
    }
    if (error == 0)
        error = await_preparation(pool);
    if (error != 0) {
        threadpool_leave(pool);
        threadpool_end(pool);
        errno = error;
    }
    return error == 0;
}

bool threadpool_run_delay(struct threadpool *pool, uint64_t *ns)
{
    bool known = true;
    *ns = 0;
    for (uint64_t i = 0; i < pool->count; i++) {
        struct thread *thread = &pool->threads[i];
        if (heartbeat_run_delay(thread->schedstat, &thread->run_delay_ns))
            thread->has_run_delay = true; /* an ended thread keeps its last value */
        known = known && thread->has_run_delay;
        *ns += thread->run_delay_ns;
    }
    return known;
}

void threadpool_work(struct threadpool *pool, uint64_t timeout_ns)
{
    pool->started_ns = clock_mono();
    pool->deadline_ns = pool->started_ns + timeout_ns;
    if (pool->task.begin)
        pool->task.begin(pool);
    set_stage(pool, STAGE_WORK);
}

void threadpool_sync(struct threadpool *pool)
{
    set_stage(pool, STAGE_SYNC);
}

static bool wait_for(struct threadpool *pool, const uint64_t *left, uint64_t until, uint64_t *now)
{
    struct timespec time = clock_timespec(until);
    int waited = 0;
    pthread_mutex_lock(&pool->mutex);
    while (*left > 0 && waited == 0)
        waited = pthread_cond_timedwait(&pool->changed, &pool->mutex, &time);
    *now = clock_mono();
    bool done = *left == 0;
    pthread_mutex_unlock(&pool->mutex);
    return done;
}

bool threadpool_wait(struct threadpool *pool, uint64_t until, uint64_t *now)
{
    return wait_for(pool, pool->stage == STAGE_SYNC ? &pool->syncing : &pool->working, until, now);
}

bool threadpool_gone(struct threadpool *pool, uint64_t until, uint64_t *now)
{
    return wait_for(pool, &pool->present, until, now);
}

void threadpool_interrupt(struct threadpool *pool)
{
    for (uint64_t i = 0; i < pool->count; i++)
        if (!atomic_load(&pool->threads[i].idle))
            pthread_kill(pool->threads[i].handle, SIGUSR1);
}

void threadpool_leave(struct threadpool *pool)
{
    atomic_store(&pool->stop, true);
    set_stage(pool, STAGE_LEAVE);
}

void threadpool_abandon(struct threadpool *pool)
{
    atomic_store(&pool->closed, true);
    clock_sleep(CLOSING_NS);
    for (uint64_t i = 0; pool->task.close && i < pool->count; i++)
        pool->task.close(&pool->threads[i]);
}

void threadpool_end(struct threadpool *pool)
{
    for (uint64_t i = 0; i < pool->count; i++) {
        pthread_join(pool->threads[i].handle, NULL);
        if (pool->threads[i].schedstat >= 0)
            close(pool->threads[i].schedstat);
    }
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->mutex);
}
