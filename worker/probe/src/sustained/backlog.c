#include "sustained/backlog.h"

#define SLOWEST 1e6
#define FASTEST 1e11
#define NS 1e9

/* The factor from one geometric rate to the next: (FASTEST / SLOWEST)^(1/63), by Newton's method,
 * so that the static binary needs no libm. */
static double factor(void)
{
    double root = 1.2;
    for (int i = 0; i < 50; i++) {
        double power = 1;
        for (int j = 0; j < GEOMETRIC_RATES - 2; j++)
            power *= root;
        root -= (power * root - FASTEST / SLOWEST) / ((GEOMETRIC_RATES - 1) * power);
    }
    return root;
}

static void insert(struct backlog_rates *rates, double rate)
{
    uint64_t at = rates->count;
    for (uint64_t i = 0; i < rates->count; i++)
        if (rates->bytes_per_s[i] == rate)
            return;
    for (; at > 0 && rates->bytes_per_s[at - 1] > rate; at--)
        rates->bytes_per_s[at] = rates->bytes_per_s[at - 1];
    rates->bytes_per_s[at] = rate;
    rates->count++;
}

void backlog_rates_make(struct backlog_rates *rates, const double *given, uint64_t count)
{
    const double step = factor();
    double rate = SLOWEST;
    rates->count = 0;
    for (int i = 0; i < GEOMETRIC_RATES; i++, rate *= step)
        insert(rates, (double)(uint64_t)(rate + 0.5));
    for (uint64_t i = 0; i < count; i++)
        insert(rates, given[i]);
}

/* Computes the queue of the first growing rate from the sums: it was longest just before the last
 * call's bytes left it. */
static void settle_next(struct backlog *backlog, const struct backlog_rates *rates)
{
    const uint64_t i = backlog->growing++;
    const double now = rates->bytes_per_s[i] * backlog->sum_s - backlog->sum_bytes;
    backlog->now[i] = now > 0 ? now : 0; /* the sums are rounded */
    backlog->most[i] = backlog->now[i] + backlog->last_bytes;
    backlog->most_ns[i] = backlog->last_ns;
}

void backlog_settle(struct backlog *backlog, const struct backlog_rates *rates)
{
    while (backlog->growing < rates->count)
        settle_next(backlog, rates);
}

/* The lowest rate whose values a call changes. */
static uint64_t first_changed(struct backlog *backlog, const struct backlog_rates *rates, double seconds, double bytes)
{
    uint64_t first = backlog->empty;
    if (seconds > backlog->longest_s) {
        backlog->longest_s = seconds;
        return 0;
    }
    while (first > 0 && rates->bytes_per_s[first - 1] * seconds > bytes)
        first--;
    return first;
}

void backlog_add(struct backlog *backlog, const struct backlog_rates *rates, uint64_t streams, uint64_t busy_ns,
                 uint64_t bytes, uint64_t end_ns)
{
    const double seconds = (double)busy_ns / NS / (double)streams, left = (double)bytes;
    const double larger = left > backlog->last_bytes ? left : backlog->last_bytes;
    while (backlog->growing < rates->count && rates->bytes_per_s[backlog->growing] * seconds <= larger)
        settle_next(backlog, rates);
    backlog->empty = first_changed(backlog, rates, seconds, left);
    for (uint64_t i = backlog->empty; i < backlog->growing; i++) {
        double now = backlog->now[i] + rates->bytes_per_s[i] * seconds;
        if (now > backlog->most[i]) {
            backlog->most[i] = now;
            backlog->most_ns[i] = end_ns;
        }
        backlog->now[i] = now > left ? now - left : 0;
    }
    while (backlog->empty < backlog->growing && backlog->now[backlog->empty] == 0)
        backlog->empty++;
    backlog->sum_s += seconds;
    backlog->sum_bytes += left;
    backlog->last_bytes = left;
    backlog->last_ns = end_ns;
}
