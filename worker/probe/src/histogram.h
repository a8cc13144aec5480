/* A log-linear latency histogram: 64 steps an octave up to 2^40 ns (18 minutes), exact
 * below 128 ns, so a step is never wider than 1/64 of its value and its middle is within
 * 0.8 %. Merging adds counts and loses nothing. Longer latencies count in the last step;
 * minimum, maximum and sum are kept exactly in addition.
 *
 *   index(v) = 64 * s + (v >> s),  s = max(0, floor(log2 v) - 6)
 *   lower(i) = i < 128 ? i : (64 + i % 64) << (i / 64 - 1);  the middle is half a step above
 */
#ifndef ASSAY_HISTOGRAM_H
#define ASSAY_HISTOGRAM_H

#include "json.h"

#include <stdint.h>

#define HISTOGRAM_LIMIT ((1ull << 40) - 1)
#define HISTOGRAM_STEPS (64 * 33 + 128)

static inline uint32_t histogram_index(uint64_t ns)
{
    if (ns > HISTOGRAM_LIMIT)
        ns = HISTOGRAM_LIMIT;
    uint32_t shift = 57 - (uint32_t)__builtin_clzll(ns | 64);
    return 64 * shift + (uint32_t)(ns >> shift);
}

/* The least latency of a step; of HISTOGRAM_STEPS, where the last one ends. */
static inline uint64_t histogram_lower(uint64_t step)
{
    return step < 128 ? step : (64 + step % 64) << (step / 64 - 1);
}

/* Writes the steps that are not empty as a list of [step, count]. */
void histogram_field(struct text *text, const char *name, const uint64_t histogram[HISTOGRAM_STEPS]);

#endif
