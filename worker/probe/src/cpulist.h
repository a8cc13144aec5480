/* Sets of CPUs in the notations of the kernel: lists such as 0-3,8, and masks such as 00000000,0000010f. */
#ifndef ASSAY_CPULIST_H
#define ASSAY_CPULIST_H

#include "json.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Fits the list of any set. */
#define CPULIST_LENGTH 4096

/* Fills the set; false unless the text is a list of CPUs below CPU_SETSIZE. An empty text is an
 * empty set. */
bool cpulist_parse(const char *text, cpu_set_t *cpus);

/* The same of a mask, whose last digit has the CPUs 0 to 3. */
bool cpulist_parse_mask(const char *text, cpu_set_t *cpus);

/* Writes the set as a list; `text` has CPULIST_LENGTH bytes. */
const char *cpulist_format(const cpu_set_t *cpus, char *text);

/* Writes a string field with the list; null unless it is `known`. */
void cpulist_field(struct text *text, const char *name, bool known, const cpu_set_t *cpus);

#endif
