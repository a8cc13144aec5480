#include "histogram.h"

void histogram_field(struct text *text, const char *name, const uint64_t histogram[HISTOGRAM_STEPS])
{
    json_open(text, name, '[');
    for (int step = 0; step < HISTOGRAM_STEPS; step++) {
        if (histogram[step] == 0)
            continue;
        json_open(text, NULL, '[');
        json_int(text, NULL, step);
        json_uint(text, NULL, histogram[step]);
        json_close(text, ']');
    }
    json_close(text, ']');
}
