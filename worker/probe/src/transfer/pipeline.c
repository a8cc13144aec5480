#include "transfer/pipeline.h"

#include "clock.h"
#include "crc32c.h"
#include "host.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Between disk and streams: half of the last-level cache, which other work shares, and not more
 * than this, because virtual machines report the cache of the whole processor. */
#define RING_BYTES (16ull << 20)

const char *const stage_names[] = {"read", "fill", "send", "receive", "write"};
const char *const stage_calls[] = {"pread", "fill", "sendmsg", "recvmsg", "pwrite"};

static void add_stage(struct transfer *transfer, enum stage_kind kind, uint64_t threads)
{
    transfer->stages[transfer->stage_count] = kind;
    transfer->stage_threads[transfer->stage_count++] = threads;
    transfer->count += threads;
}

static void choose_stages(struct transfer *transfer)
{
    const struct transfer_trial *trial = transfer->trial;
    const bool disk = transfer_uses_disk(trial);
    if (!transfer_has_part(trial))
        return;
    if (trial->leg == LEG_READ) {
        add_stage(transfer, STAGE_READ, trial->disk_threads);
    } else if (trial->leg == LEG_WRITE) {
        add_stage(transfer, STAGE_FILL, trial->disk_threads);
        add_stage(transfer, STAGE_WRITE, trial->disk_threads);
    } else if (transfer_sends(trial)) {
        if (disk)
            add_stage(transfer, STAGE_READ, trial->disk_threads);
        add_stage(transfer, STAGE_SEND, trial->link.streams);
    } else {
        add_stage(transfer, STAGE_RECEIVE, trial->link.streams);
        if (disk)
            add_stage(transfer, STAGE_WRITE, trial->disk_threads);
    }
}

static uint64_t default_ring_bytes(void)
{
    char path[96], text[32];
    uint64_t bytes = 0;
    for (int level = 0; level < 8; level++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
        if (host_read_file(path, text, sizeof text) <= 0)
            break;
        char *unit;
        const uint64_t number = strtoull(text, &unit, 10), size = number << (*unit == 'M' ? 20 : *unit == 'K' ? 10 : 0);
        bytes = size > bytes ? size : bytes;
    }
    return bytes && bytes / 2 < RING_BYTES ? bytes / 2 : RING_BYTES;
}

static bool fits(struct attempt *attempt, uint64_t bytes)
{
    const uint64_t limit = attempt->workspace->buffers.limit;
    return bytes <= limit || fail(&attempt->failure, "memory", 0, false,
                                  "the ring needs %" PRIu64 " bytes and the limit of all buffers is %" PRIu64
                                  "; use smaller blocks, fewer streams, or a smaller ring_bytes",
                                  bytes, limit);
}

static bool make_ring(struct transfer *transfer, struct attempt *attempt)
{
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t least = 2 * transfer->count, wanted = trial->ring_bytes ? trial->ring_bytes : default_ring_bytes();
    const uint64_t count = wanted / trial->block > least ? wanted / trial->block : least;
    return fits(attempt, count * trial->block) &&
           (ring_make(&transfer->ring, count, trial->block, transfer->stage_threads[0]) ||
            fail_errno(&attempt->failure, errno, "the ring cannot be allocated"));
}

/* The workers of a single stage have buffers of their own; by default one, which stays in its
 * core's cache: four of 256 KiB cost a quarter more CPU time. */
static bool make_memory(struct transfer *transfer, struct attempt *attempt)
{
    const struct transfer_trial *trial = transfer->trial;
    const uint64_t threads = transfer->count, share = trial->ring_bytes / threads;
    const uint64_t windows = share / trial->block ? share / trial->block : 1;
    transfer->memory_bytes = threads * windows * trial->block;
    if (!fits(attempt, transfer->memory_bytes))
        return false;
    char *memory = mmap(NULL, transfer->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail_errno(&attempt->failure, errno, "the streams' buffers cannot be allocated");
    madvise(memory, transfer->memory_bytes, MADV_HUGEPAGE);
    transfer->memory = memory;
    for (uint64_t i = 0; i < threads; i++) {
        transfer->workers[i].memory = memory + i * windows * trial->block;
        transfer->workers[i].windows = windows;
    }
    return true;
}

bool pipeline_make(struct transfer *transfer, struct attempt *attempt)
{
    choose_stages(transfer);
    if (transfer->count == 0)
        return true;
    if (posix_memalign((void **)&transfer->workers, METER_LINE, transfer->count * sizeof *transfer->workers) != 0)
        return fail_errno(&attempt->failure, ENOMEM, "the threads' counters cannot be allocated");
    memset(transfer->workers, 0, transfer->count * sizeof *transfer->workers);
    uint64_t made = 0;
    for (uint64_t stage = 0; stage < transfer->stage_count; stage++)
        for (uint64_t i = 0; i < transfer->stage_threads[stage]; i++)
            transfer->workers[made++] = (struct worker){
                .transfer = transfer,
                .kind = transfer->stages[stage],
                .index = i,
                .counts = stage + 1 == transfer->stage_count,
            };
    return transfer->stage_count == 2 ? make_ring(transfer, attempt) : make_memory(transfer, attempt);
}

void pipeline_free(struct transfer *transfer)
{
    ring_free(&transfer->ring);
    if (transfer->memory)
        munmap(transfer->memory, transfer->memory_bytes);
    free(transfer->workers);
    transfer->memory = NULL;
    transfer->workers = NULL;
}

void pipeline_begin(struct threadpool *pool)
{
    struct transfer *transfer = pool->own;
    transfer->started_cpu_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* Pins the calling thread before it touches its memory, which the kernel then takes from its node. */
static int take_place(struct worker *worker)
{
    const struct transfer *transfer = worker->transfer;
    if (transfer->trial->cpus && sched_setaffinity(0, sizeof transfer->cpus, &transfer->cpus) != 0)
        return errno;
    return sched_getaffinity(0, sizeof worker->allowed, &worker->allowed) == 0 ? 0 : errno;
}

int pipeline_prepare(struct thread *thread)
{
    struct worker *worker = thread->own;
    const int error = worker ? take_place(worker) : 0;
    if (error || !worker || !worker->memory)
        return error;
    const struct transfer *transfer = worker->transfer;
    const uint64_t bytes = worker->windows * transfer->trial->block;
    if (worker->kind == STAGE_SEND)
        testdata_fill(transfer->pattern, &transfer->content, worker->index * bytes, worker->memory, bytes);
    else
        memset(worker->memory, 0, bytes);
    return 0;
}

void pipeline_complete(struct thread *thread)
{
    struct worker *worker = thread->own;
    if (worker)
        atomic_store(&worker->transfer->cpu_ns, clock_read(CLOCK_PROCESS_CPUTIME_ID) - worker->transfer->started_cpu_ns);
}
