/* The job `records`: in each trial, senders stream records to a receiver, which counts and checks
 * each of them. Its ends are probes, which meet before the start and begin together at the barrier. */
#include "job.h"
#include "records/exchange.h"
#include "records/recount.h"
#include "records/report.h"
#include "transfer/linkreport.h"

#include "clock.h"
#include "crc32c.h"
#include "sha256.h"
#include "workdir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME 64

/* The file that a killed segment left, which has no name any more. */
struct left {
    int file; /* -1 without one */
    uint64_t position, attempt;
};

static struct left left = {.file = -1};

static const char *file_name(uint64_t position, uint64_t attempt, char name[NAME])
{
    snprintf(name, NAME, "file%" PRIu64 "-%" PRIu64, position, attempt);
    return name;
}

/* Opens the file of an earlier attempt at one of the plan's trials, before its directory is removed. */
static void adopt(int rundir, const struct plan *plan)
{
    char name[NAME];
    for (size_t i = 0; i < plan->count && left.file < 0; i++) {
        const struct trial *trial = plan_trial(plan, i);
        for (uint64_t attempt = trial->attempt; attempt-- > 1 && left.file < 0;)
            if (records_writes(records_trial(trial)))
                left = (struct left){workdir_take_left(rundir, file_name(trial->position, attempt, name)), trial->position, attempt};
    }
}

static bool begin(struct workspace *workspace, void **state, struct failure *failure)
{
    static bool hardware;
    (void)workspace;
    (void)failure;
    hardware = crc32c_prepare();
    *state = &hardware;
    return true;
}

/* The files of a trial are removed with it. */
static void clear(void *state)
{
    (void)state;
}

static void end(void *state)
{
    (void)state;
    if (left.file >= 0)
        close(left.file);
}

/* Of the records of an attempt; it reveals nothing of the token. */
static uint64_t seed_of(const struct attempt *attempt, const struct link *link, uint64_t number)
{
    uint8_t mac[SHA256_BYTES];
    uint64_t seed;
    char text[64];
    const int length = snprintf(text, sizeof text, "records %" PRIu64 " %" PRIu64, attempt->trial->position, number);
    hmac_sha256(link->token, text, (size_t)length, mac);
    memcpy(&seed, mac, sizeof seed);
    return seed;
}

static struct ledger *make_ledgers(const struct recipe *recipe, uint64_t senders)
{
    struct ledger *ledgers = calloc(senders, sizeof *ledgers);
    for (uint64_t i = 0; ledgers && i < senders; i++)
        ledgers[i].origin = origin_make(recipe, i);
    return ledgers;
}

/* Counts the records in a file again; false if there is no memory, or at a stop. */
static bool count_again(struct attempt *attempt, struct recount *recount)
{
    struct exchange *exchange = attempt->own;
    struct recipe recipe;
    if (!recipe_make(&recipe, exchange->trial->record_bytes, seed_of(attempt, &exchange->link, recount->attempt)))
        return false;
    recount->trial = exchange->trial;
    recount->recipe = &recipe;
    recount->ledgers = make_ledgers(&recipe, exchange->trial->link.senders);
    const bool good = recount->ledgers && recount_run(recount, attempt->workspace);
    free(recount->ledgers);
    recipe_free(&recipe);
    return good;
}

/* The file that a killed attempt left is counted before this one begins, and removed. */
static void count_left(struct attempt *attempt)
{
    struct recount recount = {.attempt = left.attempt, .file = left.file, .left = true};
    if (left.file < 0 || left.position != attempt->trial->position)
        return;
    count_again(attempt, &recount);
    workdir_discard(&attempt->workspace->workdir, left.file, NULL);
    left.file = -1;
}

static bool open_file(void *argument)
{
    struct attempt *attempt = argument;
    struct exchange *exchange = attempt->own;
    struct workspace *workspace = attempt->workspace;
    char name[NAME];
    count_left(attempt);
    errand_does(&workspace->errand, "preparing", 0);
    attempt_settle(attempt);
    if (!errand_calls(&workspace->errand, "stat") || !target_holds(&workspace->target, &attempt->failure) ||
        !limits_space(&workspace->limits, attempt->trial->total_bytes, &attempt->failure) ||
        !errand_calls(&workspace->errand, "open"))
        return false;
    exchange->sink.file = workdir_create(&workspace->workdir, file_name(attempt->trial->position, attempt->trial->attempt, name), 0);
    return exchange->sink.file >= 0 || fail_errno(&attempt->failure, errno, "a test file cannot be created");
}

static int sync_file(struct thread *thread)
{
    const struct exchange *exchange = ((struct lane *)thread->own)->exchange;
    return fdatasync(exchange->sink.file) == 0 ? 0 : errno;
}

static bool make_pool(struct exchange *exchange, struct attempt *attempt)
{
    struct threadpool *pool = &attempt->pool;
    if (!threadpool_make(pool, exchange->count))
        return fail_errno(&attempt->failure, errno, "the threads' counters cannot be allocated");
    pool->task = (struct task){
        .begin = lane_begin,
        .prepare = lane_prepare,
        .work = lane_work,
        .complete = lane_complete,
        .sync = sync_file,
    };
    pool->own = exchange;
    pool->work_call = lane_call(exchange->trial);
    pool->sync_call = "fdatasync";
    for (uint64_t i = 0; i < exchange->count; i++)
        pool->threads[i].own = &exchange->lanes[i];
    pool->threads[0].syncs = attempt->writes;
    return true;
}

/* All ends execute the same trial. */
static bool meet(struct exchange *exchange, struct attempt *attempt)
{
    static const char *const names[] = {"job",     "position", "attempt",       "senders",  "record_bytes",
                                        "records", "ramp_ms",  "window_ms",     "sink",     "format",
                                        "batch_records",       "batch_ms",      "acknowledge", "rate_records_per_s", NULL};
    const struct records_trial *trial = exchange->trial;
    const uint64_t values[] = {1,
                               trial->common.position,
                               trial->common.attempt,
                               trial->link.senders,
                               trial->record_bytes,
                               trial->records,
                               trial->ramp_ms,
                               trial->window_ms,
                               trial->sink,
                               trial->format,
                               trial->batch_records,
                               trial->batch_ms,
                               trial->acknowledge,
                               trial->rate_records_per_s};
    return link_meet(&exchange->link, attempt, &(struct agreement){names, values});
}

static bool prepare(struct attempt *attempt)
{
    const struct records_trial *trial = records_trial(attempt->trial);
    struct exchange *exchange;
    if (posix_memalign((void **)&exchange, METER_LINE, sizeof *exchange) != 0)
        return fail_errno(&attempt->failure, ENOMEM, "the trial's state cannot be allocated");
    memset(exchange, 0, sizeof *exchange);
    attempt->own = exchange;
    exchange->trial = trial;
    exchange->hardware = *(const bool *)attempt->state;
    link_make(&exchange->link, &trial->link, attempt->workspace->plan->token);
    sink_make(&exchange->sink, trial);
    attempt->writes = records_writes(trial);
    if (!recipe_make(&exchange->recipe, trial->record_bytes, seed_of(attempt, &exchange->link, trial->common.attempt)))
        return fail_errno(&attempt->failure, errno, "the records' data cannot be allocated");
    if (attempt->writes && !errand_run(&attempt->workspace->errand, ERRAND_PREPARING, 0, open_file, attempt))
        return false;
    if (!exchange_make(exchange, attempt) || !meet(exchange, attempt))
        return false;
    linkreport_begin(&exchange->link);
    return make_pool(exchange, attempt);
}

static void look(struct attempt *attempt, bool over)
{
    struct exchange *exchange = attempt->own;
    (void)over;
    link_reject_others(&exchange->link);
}

static void explain(struct attempt *attempt, int error)
{
    struct exchange *exchange = attempt->own;
    if (!problem_explain(&exchange->problem, &attempt->failure, "records"))
        attempt_explain(attempt, error, false, exchange->trial->record_bytes);
}

static void conclude(struct attempt *attempt)
{
    struct exchange *exchange = attempt->own;
    if (!exchange)
        return;
    const uint64_t bytes = attempt->started ? threadpool_bytes(&attempt->pool) : 0;
    attempt->complete = attempt->started;
    for (uint64_t i = 0; i < exchange->count; i++)
        attempt->complete = attempt->complete && exchange->lanes[i].finished;
    if (attempt->complete && attempt->trial->total_bytes)
        attempt->complete = bytes == attempt->trial->total_bytes;
    attempt->working_set = bytes ? bytes : exchange->trial->record_bytes;
    link_reject_others(&exchange->link);
}

static bool count_written(void *argument)
{
    struct attempt *attempt = argument;
    const struct exchange *exchange = attempt->own;
    uint64_t expected[LINK_SENDERS_MOST];
    for (uint64_t i = 0; i < exchange->count; i++) {
        const struct lane *lane = &exchange->lanes[i];
        expected[i] = lane->stored > lane->acknowledged ? lane->stored : lane->acknowledged;
    }
    struct recount recount = {.attempt = attempt->trial->attempt, .file = exchange->sink.file, .expected = expected};
    return count_again(attempt, &recount);
}

/* The file of a trial is read back, also if it failed: what was acknowledged must be in it. */
static void follow_up(struct attempt *attempt)
{
    const struct exchange *exchange = attempt->own;
    if (attempt->writes && exchange->trial->recount_ms > 0 && limits_hold(&attempt->workspace->limits))
        errand_run(&attempt->workspace->errand, ERRAND_PREPARING, 0, count_written, attempt);
}

static bool close_file(void *argument)
{
    struct attempt *attempt = argument;
    struct exchange *exchange = attempt->own;
    char name[NAME];
    attempt->workspace->settling.removed_bytes += atomic_load(&exchange->sink.bytes);
    workdir_discard(&attempt->workspace->workdir, exchange->sink.file,
                    file_name(attempt->trial->position, attempt->trial->attempt, name));
    return true;
}

static void release(struct attempt *attempt)
{
    struct exchange *exchange = attempt->own;
    if (!exchange)
        return;
    link_close(&exchange->link);
    if (exchange->sink.file >= 0)
        errand_run(&attempt->workspace->errand, ERRAND_REMOVING, 0, close_file, attempt);
    exchange_free(exchange);
    sink_free(&exchange->sink);
    free(exchange);
    attempt->own = NULL;
}

const struct job records_job = {
    .type = RECORDS_TYPE,
    .bears_starvation = true,
    .adopt = adopt,
    .begin = begin,
    .clear = clear,
    .end = end,
    .prepare = prepare,
    .sampled = records_report_link,
    .look = look,
    .explain = explain,
    .conclude = conclude,
    .detail = records_report,
    .follow_up = follow_up,
    .release = release,
};
