#include "disturbance.h"

#include <stdlib.h>

const char *const disturbance_names[] = {NULL, "suspended", "starved"};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t grown(uint64_t after, uint64_t before)
{
    return after > before ? after - before : 0;
}

void evidence_add(struct evidence *evidence, const struct beat *before, const struct beat *now, uint64_t due)
{
    uint64_t late = grown(now->mono, due), wait = grown(now->steal, before->steal);
    if (now->has_run_delay && before->has_run_delay)
        wait += grown(now->run_delay, before->run_delay);
    wait = least(wait, late);
    evidence->late_ns = most(evidence->late_ns, late);
    evidence->cpu_wait_ns = most(evidence->cpu_wait_ns, wait);
    evidence->paused_ns = most(evidence->paused_ns, late - wait);
    evidence->paused_sum_ns += late - wait;
    /* the two clocks are read one after the other, so a small difference is not sleep */
    uint64_t slept = grown(now->boot - now->mono, before->boot - before->mono);
    evidence->slept_ns += slept >= DISTURBANCE_SLEPT_NS ? slept : 0;
    int64_t jump = (int64_t)(now->wall - now->mono) - (int64_t)(before->wall - before->mono);
    if (llabs(jump) > llabs(evidence->wall_jump_ns))
        evidence->wall_jump_ns = jump;
    evidence->ended = now->mono;
}

enum disturbance evidence_verdict(const struct evidence *evidence)
{
    uint64_t took = grown(evidence->ended, evidence->began);
    bool late = evidence->late_ns >= DISTURBANCE_LATE_NS;
    bool paused = evidence->paused_ns >= DISTURBANCE_LATE_NS || (late && evidence->paused_ns > evidence->cpu_wait_ns);
    if (paused || evidence->slept_ns >= DISTURBANCE_SLEPT_NS ||
        llabs(evidence->wall_jump_ns) >= (int64_t)DISTURBANCE_WALL_NS)
        return SUSPENDED;
    if (evidence->paused_sum_ns >= DISTURBANCE_LATE_NS &&
        evidence->paused_sum_ns >= took / 100 * DISTURBANCE_PAUSED_PERCENT)
        return SUSPENDED;
    return late ? STARVED : UNDISTURBED;
}

bool evidence_is_abrupt(const struct evidence *evidence)
{
    return evidence->late_ns >= DISTURBANCE_LATE_NS || evidence->slept_ns >= DISTURBANCE_SLEPT_NS ||
           llabs(evidence->wall_jump_ns) >= (int64_t)DISTURBANCE_WALL_NS;
}

void evidence_merge(struct evidence *sum, const struct evidence *later)
{
    sum->late_ns = most(sum->late_ns, later->late_ns);
    sum->cpu_wait_ns = most(sum->cpu_wait_ns, later->cpu_wait_ns);
    sum->paused_ns = most(sum->paused_ns, later->paused_ns);
    sum->paused_sum_ns += later->paused_sum_ns;
    sum->slept_ns += later->slept_ns;
    if (llabs(later->wall_jump_ns) > llabs(sum->wall_jump_ns))
        sum->wall_jump_ns = later->wall_jump_ns;
    sum->ended = later->ended;
}

uint64_t cpu_lost_ns(const struct cpu_share *share)
{
    return least(share->run_delay_ns, grown(share->cpus * share->duration_ns, share->used_ns));
}

bool cpu_starved(const struct cpu_share *share)
{
    uint64_t lost = cpu_lost_ns(share);
    /* Threads that outnumber the CPUs wait for each other, which is not time lost to other
     * processes. */
    uint64_t own = grown(share->threads * share->duration_ns, share->run_delay_ns - lost);
    double lost_share = own > 0 ? (double)lost / (double)own : 0;
    return lost_share * 100 >= DISTURBANCE_LOST_PERCENT &&
           lost_share * (double)share->duration_ns >= (double)DISTURBANCE_LOST_NS;
}
