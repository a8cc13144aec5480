#include "errand.h"

#include "clock.h"
#include "spool.h"
#include "threads.h"

#include <pthread.h>
#include <signal.h>

static const char *const kind_words[] = {[ERRAND_PREPARING] = "preparing", [ERRAND_REMOVING] = "removing"};

struct assignment {
    struct errand *errand;
    bool (*work)(void *argument);
    void *argument;
    bool good;
    bool over; /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
};

static void *do_task(void *argument)
{
    struct assignment *task = argument;
    task->good = task->work(task->argument);
    pthread_mutex_lock(&task->mutex);
    task->over = true;
    pthread_cond_signal(&task->ended);
    pthread_mutex_unlock(&task->mutex);
    return NULL;
}

static bool is_over(struct assignment *task, uint64_t until)
{
    struct timespec time = clock_timespec(until);
    int waited = 0;
    pthread_mutex_lock(&task->mutex);
    while (!task->over && waited == 0)
        waited = pthread_cond_timedwait(&task->ended, &task->mutex, &time);
    bool over = task->over;
    pthread_mutex_unlock(&task->mutex);
    return over;
}

uint64_t stood_still_ns(uint64_t due, uint64_t now)
{
    return now > due + STANDSTILL_NS ? now - due : 0;
}

/* Whether optional work is to end: the run does, or the trial that it prepares was aborted. */
static bool is_to_end(struct errand *errand)
{
    const bool holds = limits_hold(errand->limits) && !limits_aborted(errand->limits);
    return !holds && errand->kind == ERRAND_PREPARING;
}

static void await(struct assignment *task, pthread_t thread)
{
    struct errand *errand = task->errand;
    struct limits *limits = errand->limits;
    uint64_t told_ns = clock_mono(), called_ns = told_ns, due = told_ns + CHECK_NS, calls = 0, ending_ns = 0;
    for (; !is_over(task, due); due = clock_mono() + CHECK_NS) {
        uint64_t now = clock_mono(), made = atomic_load(&errand->calls);
        called_ns = made == calls ? called_ns + stood_still_ns(due, now) : now;
        calls = made;
        ending_ns = is_to_end(errand) ? (ending_ns ? ending_ns : now) : 0;
        atomic_store(&errand->ending, ending_ns != 0);
        const char *call = atomic_load(&errand->call);
        if (now - told_ns >= PROGRESS_NS) {
            const char *doing = atomic_load(&errand->doing);
            progress_event(limits->spool, doing ? doing : kind_words[errand->kind], call, atomic_load(&errand->bytes),
                           atomic_load(&errand->total));
            told_ns = now;
        }
        if (ending_ns != 0 && now - ending_ns > INTERRUPT_NS && now - called_ns > INTERRUPT_NS)
            pthread_kill(thread, SIGUSR1);
        if (now - called_ns > limits->hang_ms * NS_PER_MS)
            limits_abandon(limits, call ? call : "a call", now - called_ns);
    }
}

bool errand_run(struct errand *errand, enum errand_kind kind, uint64_t total, bool (*work)(void *argument), void *argument)
{
    struct assignment task = {.errand = errand, .work = work, .argument = argument, .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_t attributes;
    pthread_t thread;
    errand->kind = kind;
    atomic_store(&errand->total, total);
    atomic_store(&errand->doing, NULL);
    atomic_store(&errand->call, NULL);
    atomic_store(&errand->bytes, 0);
    atomic_store(&errand->ending, is_to_end(errand));
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&task.ended, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&thread, NULL, do_task, &task) == 0) {
        await(&task, thread);
        pthread_join(thread, NULL);
    } else {
        task.good = work(argument);
        thread_calls(NULL);
    }
    pthread_cond_destroy(&task.ended);
    return task.good;
}

void errand_does(struct errand *errand, const char *doing, uint64_t total)
{
    atomic_store(&errand->doing, doing);
    atomic_store(&errand->bytes, 0);
    atomic_store(&errand->total, total);
}

void errand_clears(struct errand *errand, const char *call)
{
    if (atomic_load(&errand->call) != call)
        thread_calls(call);
    atomic_store(&errand->call, call);
    atomic_fetch_add(&errand->calls, 1);
}

bool errand_calls(struct errand *errand, const char *call)
{
    if (atomic_load(&errand->ending))
        return false;
    errand_clears(errand, call);
    return true;
}
