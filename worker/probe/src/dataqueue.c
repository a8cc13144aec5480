#include "dataqueue.h"

#include <stdlib.h>

static uint64_t backlog(const struct dataqueue *queue)
{
    return queue->returned - queue->begun;
}

static struct block *ready_at(const struct dataqueue *queue, uint64_t turn)
{
    return &queue->ready[turn % queue->windows];
}

bool dataqueue_make(struct dataqueue *queue)
{
    queue->used = calloc(2 * queue->windows, sizeof *queue->used);
    if (!queue->used)
        return false;
    queue->ready = queue->used + queue->windows;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->io_wakes, NULL);
    pthread_cond_init(&queue->data_wakes, NULL);
    return true;
}

void dataqueue_free(struct dataqueue *queue)
{
    if (!queue->used)
        return;
    pthread_cond_destroy(&queue->data_wakes);
    pthread_cond_destroy(&queue->io_wakes);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->used);
    *queue = (struct dataqueue){0};
}

uint64_t dataqueue_turn(struct dataqueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    uint64_t turn = queue->begun++;
    queue->returned++;
    pthread_mutex_unlock(&queue->mutex);
    return turn;
}

/* A waiting I/O thread is woken only for the next turn; dataqueue_take wakes another one if the
 * turn after it is ready too. */
static void make_ready(struct dataqueue *queue, uint64_t turn, const struct block *block)
{
    *ready_at(queue, turn) = *block;
    if (queue->io_waiting > 0 && turn == queue->taken)
        pthread_cond_signal(&queue->io_wakes);
}

void dataqueue_ready(struct dataqueue *queue, uint64_t turn, const struct block *block)
{
    pthread_mutex_lock(&queue->mutex);
    make_ready(queue, turn, block);
    pthread_mutex_unlock(&queue->mutex);
}

bool dataqueue_is_ready(struct dataqueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    const bool ready = queue->taken >= queue->turns || ready_at(queue, queue->taken)->data;
    pthread_mutex_unlock(&queue->mutex);
    return ready;
}

bool dataqueue_take(struct dataqueue *queue, struct block *block)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->taken < queue->turns && !ready_at(queue, queue->taken)->data) {
        queue->io_waiting++;
        pthread_cond_wait(&queue->io_wakes, &queue->mutex);
        queue->io_waiting--;
    }
    bool found = queue->taken < queue->turns;
    if (found) {
        *block = *ready_at(queue, queue->taken);
        ready_at(queue, queue->taken++)->data = NULL;
        if (queue->io_waiting > 0 && queue->taken == queue->turns)
            pthread_cond_broadcast(&queue->io_wakes);
        else if (queue->io_waiting > 0 && ready_at(queue, queue->taken)->data)
            pthread_cond_signal(&queue->io_wakes);
    }
    pthread_mutex_unlock(&queue->mutex);
    return found;
}

/* Wakes one data thread for each batch, so that none is woken for every window. A woken one works
 * until no returned window is left, so all of them are seen to. */
void dataqueue_return(struct dataqueue *queue, const struct block *block)
{
    pthread_mutex_lock(&queue->mutex);
    queue->used[queue->returned++ % queue->windows] = *block;
    if (queue->data_waiting > 0 && backlog(queue) % queue->batch == 0)
        pthread_cond_signal(&queue->data_wakes);
    pthread_mutex_unlock(&queue->mutex);
}

/* Waits for a batch; false if the thread has nothing more to do. */
static bool await_backlog(struct data_thread *thread)
{
    struct dataqueue *queue = thread->queue;
    while (backlog(queue) == 0 && !thread->ended)
        do {
            queue->data_waiting++;
            pthread_cond_wait(&queue->data_wakes, &queue->mutex);
            queue->data_waiting--;
        } while (backlog(queue) < queue->batch && !thread->ended);
    return backlog(queue) > 0 && queue->begun < queue->turns && (queue->drains || !thread->ended);
}

static void *serve(void *argument)
{
    struct data_thread *thread = argument;
    struct dataqueue *queue = thread->queue;
    pthread_mutex_lock(&queue->mutex);
    while (await_backlog(thread)) {
        uint64_t turn = queue->begun++;
        struct block block = queue->used[turn % queue->windows];
        pthread_mutex_unlock(&queue->mutex);
        thread->make(thread->own, turn, &block);
        pthread_mutex_lock(&queue->mutex);
        make_ready(queue, turn, &block);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

int data_thread_start(struct data_thread *thread, struct dataqueue *queue,
                      void (*make)(void *own, uint64_t turn, struct block *block), void *own)
{
    *thread = (struct data_thread){.queue = queue, .make = make, .own = own};
    int error = pthread_create(&thread->handle, NULL, serve, thread);
    if (error != 0)
        thread->queue = NULL;
    return error;
}

void data_thread_end(struct data_thread *thread)
{
    if (!thread->queue)
        return;
    pthread_mutex_lock(&thread->queue->mutex);
    thread->ended = true;
    pthread_cond_broadcast(&thread->queue->data_wakes);
    pthread_mutex_unlock(&thread->queue->mutex);
    pthread_join(thread->handle, NULL);
    thread->queue = NULL;
}
