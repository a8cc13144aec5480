/* The thread pool: a trial's threads and the stages that they go through together. The job
 * defines the work of a stage; the pool starts the threads at the same time, measures them, and
 * can stop, interrupt and abandon them. A stage is over when every thread has reported it. */
#ifndef ASSAY_THREADPOOL_H
#define ASSAY_THREADPOOL_H

#include "meter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define THREADS_MOST 256

struct threadpool;

struct thread {
    struct meter meter;
    _Alignas(METER_LINE) struct threadpool *pool;
    void *own; /* the job's data for this thread */
    _Atomic(const char *) call; /* the system call that it makes, or NULL */
    pthread_t handle;
    int schedstat; /* of this thread in /proc; -1 where absent */
    bool has_run_delay;
    uint64_t run_delay_ns; /* as last read by the sampler */
    bool syncs;            /* this thread has something to sync after the work */
    atomic_bool idle;      /* it waits or has ended, so it is not hanging in the kernel */
    /* written by the thread, read after it is done */
    uint64_t synced_ns; /* return time of its final sync; 0 without one */
    int error;          /* errno of what failed */
    atomic_int sync_error; /* also read while other threads are still syncing */
    bool timed_out;
};

/* The functions of a job that run in the pool's threads. */
struct task {
    void (*begin)(struct threadpool *pool);  /* the clock has started, and no thread works yet; or NULL */
    int (*prepare)(struct thread *thread);   /* before the clock starts; 0 or an errno */
    void (*work)(struct thread *thread);     /* measured, until done, `stop` or the deadline */
    void (*complete)(struct thread *thread); /* after the work, and not part of it */
    int (*sync)(struct thread *thread);      /* measured, in threads with `syncs`; 0 or an errno */
    void (*close)(struct thread *thread);    /* by another thread, when the pool is closed; or NULL */
};

enum stage { STAGE_WAIT, STAGE_WORK, STAGE_SYNC, STAGE_LEAVE };

/* Shared by a trial's threads and the thread that measures them. */
struct threadpool {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on CLOCK_MONOTONIC */
    enum stage stage;       /* under the mutex */
    uint64_t preparing;     /* threads that have not prepared */
    uint64_t working;       /* threads that have not done their work */
    uint64_t syncing;
    uint64_t present; /* threads that have not ended */
    uint64_t started_ns;
    _Alignas(METER_LINE) atomic_bool stop; /* read at each operation, written once */
    atomic_bool closed;                    /* operations that return from now on are not counted */
    uint64_t deadline_ns;
    atomic_bool overdue; /* it has passed, without the gaps of a job that goes on after them */
    struct task task;
    void *own; /* the job's data of all threads */
    const char *work_call, *sync_call; /* the names of the task's system calls, for other processes */
    struct thread *threads;
    uint64_t count;
};

/* Allocates `count` threads, which the caller fills before they start; false with errno. */
bool threadpool_make(struct threadpool *pool, uint64_t count);
void threadpool_free(struct threadpool *pool);

/* Starts the threads, which prepare and wait for the signal; false with errno if one cannot be
 * created or cannot prepare. */
bool threadpool_start(struct threadpool *pool);

/* Starts the trial's clock and the threads' work. */
void threadpool_work(struct threadpool *pool, uint64_t timeout_ns);
void threadpool_sync(struct threadpool *pool);

/* Reports that the calling thread's work has failed: the others stop. */
void thread_fail(struct thread *thread, int error);

/* Says that the calling thread makes a system call from now on, or none (NULL), to this process and
 * to others (threads.h); returns the one before. */
const char *thread_enters(struct thread *thread, const char *call);

/* The system call of the oldest operation in flight; the stage's call if there is none. */
const char *threadpool_call(const struct threadpool *pool);

/* Waits until `until` (CLOCK_MONOTONIC) or until all threads have finished the current stage;
 * returns whether they have. `now` is the last time at which a thread was found still working. */
bool threadpool_wait(struct threadpool *pool, uint64_t until, uint64_t *now);

/* Signals threads that hang in the kernel: a signal ends some waits (FUSE, soft mounts). */
void threadpool_interrupt(struct threadpool *pool);

/* Asks the threads to exit. */
void threadpool_leave(struct threadpool *pool);

/* Waits until `until` (CLOCK_MONOTONIC) or until all threads have ended; returns whether they
 * have. */
bool threadpool_gone(struct threadpool *pool, uint64_t until, uint64_t *now);

/* When the last operation of all threads returned; the start if there was none. */
uint64_t threadpool_last_end(const struct threadpool *pool);

/* Bytes transferred by all threads so far. */
uint64_t threadpool_bytes(const struct threadpool *pool);

/* The total time that the threads have waited for a CPU; false if the kernel does not report it. */
bool threadpool_run_delay(struct threadpool *pool, uint64_t *ns);

/* Joins threads that have ended. */
void threadpool_end(struct threadpool *pool);

/* Abandons threads that hang in the kernel: their further operations are not counted. The meters
 * no longer change when it returns. */
void threadpool_abandon(struct threadpool *pool);

#endif
