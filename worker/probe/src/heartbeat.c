#include "heartbeat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OVERDUE_WAIT_NS NS_PER_S
#define READ_WITHIN_NS NS_PER_MS
#define READ_TRIES 5

static bool read_again(int file, char *text, size_t size)
{
    ssize_t length = file < 0 ? -1 : pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Reads the clocks within a millisecond of each other, so that being preempted in between
 * does not look like a step. */
static void read_clocks(struct beat *beat)
{
    for (int tries = 0; tries < READ_TRIES; tries++) {
        beat->mono = clock_mono();
        beat->boot = clock_read(CLOCK_BOOTTIME);
        beat->wall = clock_read(CLOCK_REALTIME);
        if (clock_mono() - beat->mono < READ_WITHIN_NS)
            return;
    }
}

/* Steal time of a CPU; 0 if it is not reported. */
static uint64_t steal_ns(int stat, int cpu)
{
    static char text[1 << 16]; /* used only by the heartbeat's thread */
    char name[24];
    uint64_t steal = 0;
    snprintf(name, sizeof name, "\ncpu%d ", cpu);
    const char *line = read_again(stat, text, sizeof text) ? strstr(text, name) : NULL;
    if (line && sscanf(line + strlen(name), "%*u %*u %*u %*u %*u %*u %*u %" SCNu64, &steal) == 1)
        return steal * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    return 0;
}

/* Without scheduler statistics the kernel reports three zeros; the last number is how often the
 * thread was scheduled. */
bool heartbeat_run_delay(int schedstat, uint64_t *ns)
{
    char text[128];
    uint64_t waited, turns;
    if (!read_again(schedstat, text, sizeof text) ||
        sscanf(text, "%*u %" SCNu64 " %" SCNu64, &waited, &turns) != 2 || turns == 0)
        return false;
    *ns = waited;
    return true;
}

static struct beat read_beat(const struct heartbeat *heartbeat, int cpu)
{
    struct beat beat = {0};
    read_clocks(&beat);
    beat.has_run_delay = heartbeat_run_delay(heartbeat->schedstat, &beat.run_delay);
    beat.steal = steal_ns(heartbeat->stat, cpu);
    return beat;
}

/* A heartbeat that is late because the process could not run, for so long that it is reported as a
 * gap: what is in no figure must be told. A wait for a CPU is no standstill, for the threads of the
 * trial may have run meanwhile. */
static bool stood_still(const struct beat *before, const struct beat *now, uint64_t due)
{
    struct evidence one = {0};
    evidence_add(&one, before, now, due);
    return one.paused_ns >= DISTURBANCE_LATE_NS || (one.late_ns >= DISTURBANCE_LATE_NS && one.paused_ns > one.cpu_wait_ns);
}

static void note(struct heartbeat *heartbeat, const struct beat *before, const struct beat *now)
{
    uint64_t late = now->mono > heartbeat->due ? now->mono - heartbeat->due : 0;
    if (stood_still(before, now, heartbeat->due))
        standstill_add(&heartbeat->standstill, before->mono, now->mono);
    pthread_mutex_lock(&heartbeat->mutex);
    evidence_add(&heartbeat->evidence, before, now, heartbeat->due);
    heartbeat->late_ns = late > heartbeat->late_ns ? late : heartbeat->late_ns;
    heartbeat->due = now->mono + HEARTBEAT_NS;
    heartbeat->standstill.due_ns = heartbeat->due;
    pthread_cond_broadcast(&heartbeat->beaten);
    pthread_mutex_unlock(&heartbeat->mutex);
}

static void *live(void *argument)
{
    struct heartbeat *heartbeat = argument;
    heartbeat->thread = gettid();
    heartbeat->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    heartbeat->stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    int cpu = sched_getcpu(); /* the timer fires on the CPU on which the thread goes to sleep */
    for (struct beat before = read_beat(heartbeat, cpu);;) {
        struct timespec time = clock_timespec(heartbeat->due);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
            ;
        struct beat now = read_beat(heartbeat, cpu);
        note(heartbeat, &before, &now);
        before = now;
        if (sched_getcpu() != cpu) {
            cpu = sched_getcpu();
            before.steal = steal_ns(heartbeat->stat, cpu);
        }
    }
    return NULL;
}

bool heartbeat_start(struct heartbeat *heartbeat)
{
    pthread_condattr_t attributes;
    pthread_t thread;
    *heartbeat = (struct heartbeat){.stat = -1, .schedstat = -1, .due = clock_mono() + HEARTBEAT_NS};
    pthread_mutex_init(&heartbeat->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&heartbeat->beaten, &attributes);
    pthread_condattr_destroy(&attributes);
    int error = pthread_create(&thread, NULL, live, heartbeat);
    if (error == 0)
        pthread_detach(thread);
    errno = error;
    return error == 0;
}

/* With the mutex held. */
static void await_overdue(struct heartbeat *heartbeat)
{
    uint64_t now = clock_mono();
    struct timespec time = clock_timespec(now + OVERDUE_WAIT_NS);
    int waited = 0;
    while (waited == 0 && heartbeat->due + DISTURBANCE_LATE_NS / 2 < now)
        waited = pthread_cond_timedwait(&heartbeat->beaten, &heartbeat->mutex, &time);
}

void heartbeat_begin(struct heartbeat *heartbeat)
{
    pthread_mutex_lock(&heartbeat->mutex);
    await_overdue(heartbeat);
    uint64_t now = clock_mono();
    heartbeat->evidence = (struct evidence){.began = now, .ended = now};
    heartbeat->late_ns = 0;
    pthread_mutex_unlock(&heartbeat->mutex);
}

struct evidence heartbeat_look(struct heartbeat *heartbeat)
{
    pthread_mutex_lock(&heartbeat->mutex);
    await_overdue(heartbeat);
    struct evidence evidence = heartbeat->evidence;
    pthread_mutex_unlock(&heartbeat->mutex);
    return evidence;
}

struct evidence heartbeat_take(struct heartbeat *heartbeat)
{
    pthread_mutex_lock(&heartbeat->mutex);
    await_overdue(heartbeat);
    struct evidence evidence = heartbeat->evidence;
    uint64_t now = clock_mono();
    heartbeat->evidence = (struct evidence){.began = now, .ended = now};
    pthread_mutex_unlock(&heartbeat->mutex);
    return evidence;
}

uint64_t heartbeat_take_late(struct heartbeat *heartbeat)
{
    pthread_mutex_lock(&heartbeat->mutex);
    uint64_t late = heartbeat->late_ns;
    heartbeat->late_ns = 0;
    pthread_mutex_unlock(&heartbeat->mutex);
    return late;
}
