#include "uring.h"

#include "clock.h"
#include "host.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DISABLED "/proc/sys/kernel/io_uring_disabled" /* since Linux 6.6 */
#define TRIED_MOST 64

/* Of linux/io_uring.h, which older headers lack. */
#define ENTER_EXT_ARG (1u << 3)
#define HAS_EXT_ARG (1u << 8)
#define COOP_TASKRUN (1u << 8)   /* since Linux 5.19 */
#define TASKRUN_FLAG (1u << 9)   /* since 5.19 */
#define SINGLE_ISSUER (1u << 12) /* since 6.0 */
#define DEFER_TASKRUN (1u << 13) /* since 6.1 */
#define TASKRUN_WAITS (1u << 2)  /* in the ring's flags */

/* Also completes what waits for a call of this thread. */
static int enter(const struct uring *uring, unsigned submitted, unsigned awaited)
{
    return (int)syscall(SYS_io_uring_enter, uring->file, submitted, awaited, IORING_ENTER_GETEVENTS, NULL, 0);
}

/* The same, at most for so long: since Linux 5.11. Polling the ring's file would not do, because nothing
 * is completed by that. */
static int enter_for(const struct uring *uring, uint64_t ns)
{
    struct {
        int64_t seconds, nanoseconds;
    } left = {(int64_t)(ns / NS_PER_S), (int64_t)(ns % NS_PER_S)};
    const struct {
        uint64_t signals;
        uint32_t signals_bytes, unused;
        uint64_t time;
    } argument = {.time = (uintptr_t)&left};
    const unsigned flags = IORING_ENTER_GETEVENTS | ENTER_EXT_ARG;
    return (int)syscall(SYS_io_uring_enter, uring->file, 0, 1, flags, &argument, sizeof argument);
}

/* Makes a ring in the best way that the kernel knows; -1 with errno. */
static int set_up(unsigned depth, struct io_uring_params *facts)
{
    static const unsigned ways[] = {SINGLE_ISSUER | DEFER_TASKRUN | TASKRUN_FLAG, COOP_TASKRUN | TASKRUN_FLAG, 0};
    int file = -1;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        *facts = (struct io_uring_params){.flags = ways[i]};
        file = (int)syscall(SYS_io_uring_setup, depth, facts);
        if (file >= 0 || errno != EINVAL)
            break;
    }
    return file;
}

/* Whether the kernel knows the operations. Fails with EINVAL before Linux 5.6. */
static bool has_operations(int file)
{
    static const size_t size = sizeof(struct io_uring_probe) + IORING_OP_LAST * sizeof(struct io_uring_probe_op);
    struct io_uring_probe *probe = calloc(1, size);
    bool known = probe && syscall(SYS_io_uring_register, file, IORING_REGISTER_PROBE, probe, IORING_OP_LAST) == 0;
    known = known && probe->last_op >= IORING_OP_WRITE && (probe->ops[IORING_OP_READ].flags & IO_URING_OP_SUPPORTED) &&
            (probe->ops[IORING_OP_WRITE].flags & IO_URING_OP_SUPPORTED);
    free(probe);
    if (!known)
        errno = EOPNOTSUPP;
    return known;
}

static void *map(int file, size_t bytes, off_t offset)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, offset);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static bool map_rings(struct uring *uring, const struct io_uring_params *facts)
{
    const size_t submissions = facts->sq_off.array + facts->sq_entries * sizeof(uint32_t);
    const size_t completions = facts->cq_off.cqes + facts->cq_entries * sizeof(struct io_uring_cqe);
    uring->rings_bytes = submissions > completions ? submissions : completions;
    uring->entries_bytes = facts->sq_entries * sizeof(struct io_uring_sqe);
    uring->rings = map(uring->file, uring->rings_bytes, IORING_OFF_SQ_RING);
    uring->entries = map(uring->file, uring->entries_bytes, (off_t)IORING_OFF_SQES);
    if (!uring->rings || !uring->entries)
        return false;
    char *rings = uring->rings;
    uring->submit_tail = (uint32_t *)(rings + facts->sq_off.tail);
    uring->submit_mask = *(uint32_t *)(rings + facts->sq_off.ring_mask);
    uring->waits = facts->features & HAS_EXT_ARG;
    uring->flags = (uint32_t *)(rings + facts->sq_off.flags);
    uring->done_head = (uint32_t *)(rings + facts->cq_off.head);
    uring->done_tail = (uint32_t *)(rings + facts->cq_off.tail);
    uring->done_mask = *(uint32_t *)(rings + facts->cq_off.ring_mask);
    uring->results = (struct io_uring_cqe *)(rings + facts->cq_off.cqes);
    for (uint32_t i = 0; i < facts->sq_entries; i++)
        ((uint32_t *)(rings + facts->sq_off.array))[i] = i;
    return true;
}

bool uring_make(struct uring *uring, unsigned depth)
{
    struct io_uring_params facts = {0};
    *uring = (struct uring){.file = set_up(depth, &facts)};
    if (uring->file < 0)
        return false;
    /* one mapping for both rings is older than the operations */
    if (has_operations(uring->file) && map_rings(uring, &facts))
        return true;
    const int error = errno;
    uring_free(uring);
    errno = error;
    return false;
}

void uring_free(struct uring *uring)
{
    if (uring->file < 0)
        return;
    if (uring->rings)
        munmap(uring->rings, uring->rings_bytes);
    if (uring->entries)
        munmap(uring->entries, uring->entries_bytes);
    close(uring->file);
    *uring = (struct uring){.file = -1};
}

/* Submits the entry; the ring is empty before and after, so there is always one. */
static int submit(struct uring *uring, const struct io_uring_sqe *entry)
{
    const uint32_t tail = *uring->submit_tail;
    uring->entries[tail & uring->submit_mask] = *entry;
    __atomic_store_n(uring->submit_tail, tail + 1, __ATOMIC_RELEASE);
    for (;;) {
        if (enter(uring, 1, 0) == 1)
            return 0;
        if (errno != EINTR && errno != EAGAIN && errno != EBUSY)
            return errno;
    }
}

int uring_submit(struct uring *uring, const struct uring_operation *operation)
{
    const struct io_uring_sqe entry = {
        .opcode = operation->reads ? IORING_OP_READ : IORING_OP_WRITE,
        .fd = operation->file,
        .off = operation->offset,
        .addr = (uintptr_t)operation->data,
        .len = operation->bytes,
        .user_data = operation->id,
    };
    return submit(uring, &entry);
}

int uring_cancel(struct uring *uring, uint64_t id)
{
    return submit(uring, &(struct io_uring_sqe){.opcode = IORING_OP_ASYNC_CANCEL, .addr = id, .user_data = URING_CANCEL});
}

bool uring_take(struct uring *uring, uint64_t *id, int32_t *result)
{
    const uint32_t head = *uring->done_head;
    if (head == __atomic_load_n(uring->done_tail, __ATOMIC_ACQUIRE) && (__atomic_load_n(uring->flags, __ATOMIC_RELAXED) & TASKRUN_WAITS))
        enter(uring, 0, 0);
    if (head == __atomic_load_n(uring->done_tail, __ATOMIC_ACQUIRE))
        return false;
    *id = uring->results[head & uring->done_mask].user_data;
    *result = uring->results[head & uring->done_mask].res;
    __atomic_store_n(uring->done_head, head + 1, __ATOMIC_RELEASE);
    return true;
}

int uring_wait(struct uring *uring, uint64_t until)
{
    if (until == 0)
        return enter(uring, 0, 1) < 0 ? errno : 0;
    const uint64_t now = clock_mono(), left_ns = until > now ? until - now : 0;
    if (uring->waits)
        return enter_for(uring, left_ns) < 0 && errno != ETIME ? errno : 0;
    struct pollfd result = {.fd = uring->file, .events = POLLIN};
    const struct timespec left = clock_timespec(left_ns);
    return ppoll(&result, 1, &left, NULL) < 0 ? errno : 0;
}

static bool is_filtered(void)
{
    char status[4096];
    const char *found = host_read_file("/proc/thread-self/status", status, sizeof status) > 0 ? strstr(status, "\nSeccomp:") : NULL;
    return found && strtoul(found + strlen("\nSeccomp:"), NULL, 10) == 2;
}

static void explain(int error, char *why, size_t size)
{
    char value[16];
    struct rlimit locked = {0};
    const long disabled = host_read_file(DISABLED, value, sizeof value) > 0 ? strtol(value, NULL, 10) : 0;
    getrlimit(RLIMIT_MEMLOCK, &locked);
    if (error == EPERM && disabled == 2)
        snprintf(why, size, "kernel.io_uring_disabled is 2, which forbids io_uring to every process; set it to 0");
    else if (error == EPERM && disabled == 1)
        snprintf(why, size, "kernel.io_uring_disabled is 1, which forbids io_uring to this login; add it to the group of "
                            "kernel.io_uring_group, or set it to 0");
    else if ((error == EPERM || error == EACCES || error == ENOSYS) && is_filtered())
        snprintf(why, size, "a seccomp filter refuses io_uring_setup (%s), as container runtimes do by default; permit it in the "
                            "filter", strerror(error));
    else if (error == ENOSYS || error == EOPNOTSUPP)
        snprintf(why, size, "the kernel's io_uring does not have reads and writes, which came with Linux 5.6; update the kernel");
    else if (error == ENOMEM)
        snprintf(why, size, "the rings' memory exceeds RLIMIT_MEMLOCK, %llu bytes, or what is available; raise the limit",
                 (unsigned long long)locked.rlim_cur);
    else if (error == EMFILE || error == ENFILE)
        snprintf(why, size, "the limit of open files does not permit a ring for each stream; raise it");
    else
        snprintf(why, size, "io_uring_setup: %s; look for a security module (SELinux, AppArmor) that refuses it", strerror(error));
}

bool uring_permitted(unsigned depth, unsigned rings, char *why, size_t size)
{
    struct uring tried[TRIED_MOST];
    unsigned made = 0;
    while (made < rings && made < TRIED_MOST && uring_make(&tried[made], depth))
        made++;
    const int error = errno;
    for (unsigned i = 0; i < made; i++)
        uring_free(&tried[i]);
    if (made == rings)
        return true;
    explain(error, why, size);
    return false;
}
