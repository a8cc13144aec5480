/* The input of a trial, as both ends derive it from the run's token: files with stamped test data, or
 * records. The source writes it; the sink knows what must arrive without having received it. */
#ifndef ASSAY_OBSERVE_INPUT_H
#define ASSAY_OBSERVE_INPUT_H

#include "attempt.h"
#include "observe/fields.h"

#include <stdbool.h>
#include <stdint.h>

#define INPUT_NAME 32
#define RECORDS_FILE "records"

struct input_data {
    const struct observe_trial *trial;
    const struct pattern *pattern;
    uint64_t seed; /* of this attempt */
};

/* The seed that the ends of a run share, from its token. */
uint64_t input_seed(const char *token);

/* The input of an attempt. */
struct input_data input_of(const struct observe_trial *trial, const struct pattern *pattern, uint64_t seed);

/* The name of a file of the input. */
void input_name(const struct input_data *input, uint64_t file, char name[INPUT_NAME]);

/* The number of the file with this name; false if there is none. */
bool input_number(const struct input_data *input, const char *name, uint64_t *file);

struct content input_content(const struct input_data *input, uint64_t file);

/* The record of a number, of the trial's length. */
void input_record(const struct input_data *input, uint64_t number, char *record);

/* Writes the whole input into a directory, syncs it and drops it from the page cache. Called by an
 * errand; false with a failure, or without one at a stop. */
bool input_write(const struct input_data *input, struct attempt *attempt, int directory);

#endif
