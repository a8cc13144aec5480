#include "sustained/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool marks_make(struct marks *marks, uint64_t size, uint64_t most, uint64_t streams)
{
    *marks = (struct marks){.size = size, .most = most, .doubles = most / 2};
    if (posix_memalign((void **)&marks->parts, METER_LINE, streams * sizeof *marks->parts) != 0) {
        marks->parts = NULL;
        errno = ENOMEM;
        return false;
    }
    memset(marks->parts, 0, streams * sizeof *marks->parts);
    for (; marks->count < streams; marks->count++)
        pthread_mutex_init(&marks->parts[marks->count].mutex, NULL);
    pthread_mutex_init(&marks->mutex, NULL);
    return true;
}

void marks_free(struct marks *marks)
{
    if (!marks->parts)
        return;
    for (uint64_t i = 0; i < marks->count; i++)
        pthread_mutex_destroy(&marks->parts[i].mutex);
    pthread_mutex_destroy(&marks->mutex);
    free(marks->parts);
    free(marks->closed);
    marks->parts = NULL;
}

void marks_begin(struct marks *marks, uint64_t now)
{
    marks->last_ns = now;
}

bool marks_add(struct marks *marks, uint64_t stream, const struct operation_done *done)
{
    struct mark_part *part = &marks->parts[stream];
    const uint64_t latency = done->end_ns - done->start_ns - done->still_ns;
    pthread_mutex_lock(&part->mutex);
    part->ops++;
    part->bytes += done->bytes;
    part->latency_sum += latency;
    part->busy += done->busy_ns;
    part->latency_max = latency > part->latency_max ? latency : part->latency_max;
    part->due_max = done->late_ns > part->due_max ? done->late_ns : part->due_max;
    part->histogram[histogram_index(latency)]++;
    pthread_mutex_unlock(&part->mutex);
    const uint64_t before = atomic_fetch_add_explicit(&marks->total, done->bytes, memory_order_relaxed);
    const uint64_t size = atomic_load_explicit(&marks->size, memory_order_relaxed);
    return before / size != (before + done->bytes) / size;
}

static void collect(struct marks *marks, struct mark_part *part, struct mark *mark)
{
    pthread_mutex_lock(&part->mutex);
    mark->ops += part->ops;
    mark->bytes += part->bytes;
    mark->latency_sum += part->latency_sum;
    mark->busy += part->busy;
    mark->latency_max = part->latency_max > mark->latency_max ? part->latency_max : mark->latency_max;
    mark->due_max = part->due_max > mark->due_max ? part->due_max : mark->due_max;
    for (int step = 0; part->ops && step < HISTOGRAM_STEPS; step++)
        marks->histogram[step] += part->histogram[step];
    if (part->ops)
        memset(part->histogram, 0, sizeof part->histogram);
    part->ops = part->bytes = part->latency_sum = part->latency_max = part->busy = part->due_max = 0;
    pthread_mutex_unlock(&part->mutex);
}

/* Makes room for one more mark; false if there is no memory. */
static bool has_room(struct marks *marks)
{
    if (marks->closed_count < marks->capacity)
        return true;
    size_t capacity = marks->capacity ? marks->capacity * 2 : 64;
    struct mark *closed = realloc(marks->closed, capacity * sizeof *closed);
    if (!closed)
        return false;
    marks->closed = closed;
    marks->capacity = capacity;
    return true;
}

/* The latency that 99 % of the operations do not exceed: the middle of its step, and never more
 * than the maximum. */
static uint64_t p99_of(const struct marks *marks, const struct mark *mark)
{
    const uint64_t rank = mark->ops - mark->ops / 100;
    uint64_t seen = 0;
    for (uint64_t step = 0; step < HISTOGRAM_STEPS; step++) {
        seen += marks->histogram[step];
        if (seen < rank)
            continue;
        uint64_t middle = (histogram_lower(step) + histogram_lower(step + 1)) / 2;
        return middle < mark->latency_max ? middle : mark->latency_max;
    }
    return mark->latency_max;
}

/* Under the mutex. */
static void collect_all(struct marks *marks, uint64_t end_ns, uint64_t backlog)
{
    struct mark mark = {.backlog = backlog};
    if (!has_room(marks))
        return;
    memset(marks->histogram, 0, sizeof marks->histogram);
    for (uint64_t i = 0; i < marks->count; i++)
        collect(marks, &marks->parts[i], &mark);
    if (mark.ops == 0)
        return;
    mark.end_ns = end_ns > marks->last_ns ? end_ns : marks->last_ns + 1;
    mark.dt_ns = mark.end_ns - marks->last_ns;
    mark.latency_p99 = p99_of(marks, &mark);
    marks->last_ns = mark.end_ns;
    marks->closed[marks->closed_count++] = mark;
    marks->made++;
}

/* Under the mutex. */
static void widen(struct marks *marks)
{
    if (marks->made < marks->doubles || marks->size > UINT64_MAX / 2)
        return;
    marks->doubles += (marks->most - marks->made) / 2;
    marks->size *= 2;
    marks->boundary /= 2;
}

void marks_close(struct marks *marks, uint64_t end_ns, uint64_t backlog)
{
    pthread_mutex_lock(&marks->mutex);
    /* Streams may cross boundaries at almost the same time. The first one to come here collects
     * the operations of all; without them, the others' marks would last no time. */
    const uint64_t boundary = atomic_load_explicit(&marks->total, memory_order_relaxed) / marks->size;
    const bool is_last = marks->made + 1 >= marks->most; /* it has the rest of the data */
    if (boundary > marks->boundary && end_ns > marks->last_ns && !is_last) {
        marks->boundary = boundary;
        collect_all(marks, end_ns, backlog);
        widen(marks);
    }
    pthread_mutex_unlock(&marks->mutex);
}

void marks_close_last(struct marks *marks, uint64_t end_ns, uint64_t backlog)
{
    pthread_mutex_lock(&marks->mutex);
    collect_all(marks, end_ns, backlog);
    pthread_mutex_unlock(&marks->mutex);
}

size_t marks_take(struct marks *marks, struct mark **closed)
{
    pthread_mutex_lock(&marks->mutex);
    const size_t count = marks->closed_count;
    *closed = marks->closed;
    marks->closed = NULL;
    marks->closed_count = marks->capacity = 0;
    pthread_mutex_unlock(&marks->mutex);
    return count;
}
