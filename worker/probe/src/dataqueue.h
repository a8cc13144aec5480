/* Windows of memory between I/O threads and the data threads that generate or verify their
 * content.
 *
 * A data thread takes a window that an I/O thread has returned, gives it the next turn, works on
 * it, and makes it ready; I/O threads take the ready windows in the order of turns. Threads that
 * write one file share a queue, in which a turn is the number of a block: the file's blocks are
 * written in their order although several data threads generate them. A thread that reads has a
 * queue of its own, since blocks can be verified in any order. Each I/O thread has a data thread,
 * so that files with one thread and with several get their data in the same way. */
#ifndef ASSAY_DATAQUEUE_H
#define ASSAY_DATAQUEUE_H

#include "testdata.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define LINE 64 /* of the processors' caches: what different threads change is on different lines */

/* A window and the file's block in it. */
struct block {
    uint64_t offset;
    char *data;
    bool reads;             /* the block is read into the window; else written from it */
    struct content content; /* what the file contains there afterwards */
};

struct dataqueue {
    _Alignas(LINE) uint64_t turns; /* in all; UINT64_MAX without an end */
    uint64_t windows; /* at most */
    uint64_t batch;   /* returned windows for which a data thread is woken */
    bool drains;      /* windows are still worked on when their I/O thread has ended */
    pthread_mutex_t mutex;
    pthread_cond_t io_wakes, data_wakes;
    /* under the mutex */
    uint64_t returned, begun, taken; /* windows so far */
    uint64_t io_waiting, data_waiting;
    struct block *used;  /* ring of the returned windows */
    struct block *ready; /* ring by turn; without data while a data thread has the window */
};

/* A thread that works on the windows of a queue. */
struct data_thread {
    struct dataqueue *queue; /* NULL without a thread */
    void (*make)(void *own, uint64_t turn, struct block *block);
    void *own;
    bool ended; /* under the queue's mutex */
    pthread_t handle;
};

/* Allocates the rings; `turns`, `windows`, `batch` and `drains` are set by the caller. False with
 * errno. */
bool dataqueue_make(struct dataqueue *queue);

/* Does nothing to a queue that was not made. */
void dataqueue_free(struct dataqueue *queue);

/* Gives a new window its turn; for the first ones, before data threads take their place. */
uint64_t dataqueue_turn(struct dataqueue *queue);

/* Makes a window ready for I/O in its turn. */
void dataqueue_ready(struct dataqueue *queue, uint64_t turn, const struct block *block);

/* Whether dataqueue_take would not wait. */
bool dataqueue_is_ready(struct dataqueue *queue);

/* Waits for the window of the next turn; false if all turns were taken. */
bool dataqueue_take(struct dataqueue *queue, struct block *block);

/* Returns a window after its I/O. */
void dataqueue_return(struct dataqueue *queue, const struct block *block);

/* Starts a thread that calls `make` for each window; returns 0 or an errno. */
int data_thread_start(struct data_thread *thread, struct dataqueue *queue,
                      void (*make)(void *own, uint64_t turn, struct block *block), void *own);

/* Ends the thread, after the returned windows if the queue drains, and waits for it. */
void data_thread_end(struct data_thread *thread);

#endif
