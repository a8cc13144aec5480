#include "priority.h"

#include "blockdev.h"
#include "cgroup.h"
#include "host.h"
#include "parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HIGH_NICE (-10)
#define REAL_TIME_LEVEL 10
#define CAP_SYS_NICE 23

/* Of linux/ioprio.h, which older headers lack. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO(class, level) ((class) << 13 | (level))
enum { IO_CLASS_REAL_TIME = 1, IO_CLASS_BEST_EFFORT, IO_CLASS_IDLE };

static const char *const cpu_priorities[] = SUSTAINED_PRIORITY_WORDS;
static const char *const io_priorities[] = SUSTAINED_IO_PRIORITY_WORDS;
_Static_assert((int)PRIORITY_HIGH == SUSTAINED_PRIORITY_HIGH && (int)PRIORITY_FIFO == SUSTAINED_PRIORITY_FIFO &&
                   (int)PRIORITY_RR == SUSTAINED_PRIORITY_RR,
               "as in a plan");
_Static_assert((int)IO_PRIORITY_REAL_TIME == SUSTAINED_IO_PRIORITY_REAL_TIME && (int)IO_PRIORITY_HIGH == SUSTAINED_IO_PRIORITY_HIGH &&
                   (int)IO_PRIORITY_LOW == SUSTAINED_IO_PRIORITY_LOW && (int)IO_PRIORITY_IDLE == SUSTAINED_IO_PRIORITY_IDLE,
               "as in a plan");
static const int io_values[] = {
    0, IOPRIO(IO_CLASS_REAL_TIME, 4), IOPRIO(IO_CLASS_BEST_EFFORT, 0), IOPRIO(IO_CLASS_BEST_EFFORT, 7), IOPRIO(IO_CLASS_IDLE, 0)};

static bool is_real_time(const struct priority *priority)
{
    return priority->cpu == PRIORITY_FIFO || priority->cpu == PRIORITY_RR;
}

/* By system call, because musl's sched_setscheduler refuses; `thread` 0 is the calling one. */
static int set_policy(pid_t thread, int policy, int level)
{
    const struct sched_param parameters = {.sched_priority = level};
    return syscall(SYS_sched_setscheduler, thread, policy, &parameters) == 0 ? 0 : errno;
}

/* Sets the CPU priority, `above` levels higher; 0 or an errno. */
static int set_cpu(pid_t thread, const struct priority *priority, int above)
{
    if (is_real_time(priority))
        return set_policy(thread, priority->cpu == PRIORITY_FIFO ? SCHED_FIFO : SCHED_RR, REAL_TIME_LEVEL + above);
    if (priority->cpu == PRIORITY_HIGH) /* of a thread, not of its process: Linux differs from POSIX */
        return setpriority(PRIO_PROCESS, (id_t)thread, HIGH_NICE - above) == 0 ? 0 : errno;
    return 0;
}

static int set_io(const struct priority *priority)
{
    if (priority->io == IO_PRIORITY_DEFAULT)
        return 0;
    return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, io_values[priority->io]) == 0 ? 0 : errno;
}

int priority_take(const struct priority *priority)
{
    const int error = set_cpu(0, priority, 0);
    return error ? error : set_io(priority);
}

int priority_take_below(const struct priority *priority)
{
    return set_cpu(0, priority, -1);
}

struct leader priority_lead(const struct priority *priority, pid_t thread)
{
    const struct leader leader = {.thread = thread, .nice = getpriority(PRIO_PROCESS, (id_t)thread)};
    if (priority->cpu == PRIORITY_NORMAL || set_cpu(thread, priority, 1) != 0)
        return (struct leader){0};
    return leader;
}

void priority_step_down(const struct leader *leader)
{
    if (leader->thread == 0)
        return;
    set_policy(leader->thread, SCHED_OTHER, 0);
    setpriority(PRIO_PROCESS, (id_t)leader->thread, leader->nice);
}

struct trying {
    const struct priority *priority;
    int cpu_error, io_error;
};

static void *try(void *argument)
{
    struct trying *trying = argument;
    trying->cpu_error = set_cpu(0, trying->priority, 1);
    trying->io_error = set_io(trying->priority);
    return NULL;
}

static bool has_sys_nice(void)
{
    char status[4096];
    const char *found = host_read_file("/proc/thread-self/status", status, sizeof status) > 0 ? strstr(status, "\nCapEff:") : NULL;
    return found && strtoull(found + strlen("\nCapEff:"), NULL, 16) & 1ull << CAP_SYS_NICE;
}

/* Refuses a CPU priority for lack of a limit that is at least `needed`. */
static bool refuse_limit(struct failure *failure, const struct priority *priority, const char *name, int limit, rlim_t needed,
                         const char *remedy)
{
    struct rlimit has = {0};
    getrlimit(limit, &has);
    if (has_sys_nice() || has.rlim_cur >= needed)
        return true;
    return fail(failure, "priority_refused", EPERM, true,
                "priority=%s: the probe lacks CAP_SYS_NICE, and %s is %llu where %llu is needed; add \"%s\" for its user to "
                "/etc/security/limits.conf and log in again, or use priority=normal",
                cpu_priorities[priority->cpu], name, (unsigned long long)has.rlim_cur, (unsigned long long)needed, remedy);
}

static bool refuse_cpu(const struct priority *priority, int error, struct failure *failure)
{
    char group[PATH_MAX];
    if (priority->cpu == PRIORITY_HIGH &&
        !refuse_limit(failure, priority, "RLIMIT_NICE", RLIMIT_NICE, 20 - (HIGH_NICE - 1), "- nice -11"))
        return false;
    if (is_real_time(priority) &&
        !refuse_limit(failure, priority, "RLIMIT_RTPRIO", RLIMIT_RTPRIO, REAL_TIME_LEVEL + 1, "- rtprio 11"))
        return false;
    if (is_real_time(priority) && cgroup_lacks_real_time(group, sizeof group))
        return fail(failure, "priority_refused", error, true,
                    "priority=%s: cpu.rt_runtime_us of the control group %.200s is 0, which permits no real-time thread; write "
                    "a time such as 100000 to it, or use priority=high",
                    cpu_priorities[priority->cpu], group);
    return fail(failure, "priority_refused", error, true,
                "priority=%s: the kernel refuses it: %s; check the container or user namespace of the probe, or use priority=normal",
                cpu_priorities[priority->cpu], strerror(error));
}

static bool refuse_io(const struct priority *priority, int error, struct failure *failure)
{
    const bool lacks = error == EPERM && !has_sys_nice();
    return fail(failure, "priority_refused", error, true, "io_priority=%s: %s; %s", io_priorities[priority->io],
                lacks ? "the probe lacks CAP_SYS_NICE" : strerror(error),
                lacks ? "run it as root, or use io_priority=high" : "use io_priority=default");
}

bool priority_permitted(const struct priority *priority, struct failure *failure)
{
    struct trying trying = {.priority = priority};
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, try, &trying);
    if (error)
        return fail_errno(failure, error, "a thread cannot be started");
    pthread_join(thread, NULL);
    if (trying.cpu_error)
        return refuse_cpu(priority, trying.cpu_error, failure);
    return !trying.io_error || refuse_io(priority, trying.io_error, failure);
}

static bool kernel_since(unsigned major, unsigned minor)
{
    struct utsname names;
    unsigned found_major = 0, found_minor = 0;
    uname(&names);
    sscanf(names.release, "%u.%u", &found_major, &found_minor);
    return found_major > major || (found_major == major && found_minor >= minor);
}

/* BFQ and CFQ have classes and levels, mq-deadline only classes and since Linux 5.14, the others
 * neither (Documentation/block/ioprio.rst). */
static bool honors(const char *scheduler, uint64_t io)
{
    const bool level = io == IO_PRIORITY_HIGH || io == IO_PRIORITY_LOW;
    return strcmp(scheduler, "bfq") == 0 || strcmp(scheduler, "cfq") == 0 ||
           (strcmp(scheduler, "mq-deadline") == 0 && !level && kernel_since(5, 14));
}

bool priority_ignored(const struct priority *priority, const char *device, bool buffered, char *why, size_t size)
{
    const char *io = io_priorities[priority->io];
    static struct disks disks; /* static, because it has 5 kB; it is called by the run's thread alone */
    disks = (struct disks){0};
    if (priority->io == IO_PRIORITY_DEFAULT)
        return false;
    disks_below(device, &disks);
    if (disks.count == 0)
        snprintf(why, size, "io_priority=%s has no effect: the target has no block device on this host, and priorities do not "
                 "reach a server", io);
    else if (buffered)
        snprintf(why, size, "io_priority=%s has no effect on the writes: the kernel writes the page cache back with its own "
                 "priority; use direct I/O", io);
    for (size_t i = 0; i < disks.count && !buffered; i++) {
        char scheduler[64];
        if (!blockdev_scheduler(disks.list[i].name, scheduler, sizeof scheduler))
            snprintf(scheduler, sizeof scheduler, "unknown");
        if (honors(scheduler, priority->io))
            continue;
        snprintf(why, size, "io_priority=%s has no effect: the I/O scheduler of %.64s is %s, which ignores it; choose bfq in "
                 "/sys/block/%.64s/queue/scheduler", io, disks.list[i].name, scheduler, disks.list[i].name);
        return true;
    }
    return disks.count == 0 || buffered;
}
