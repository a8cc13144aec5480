/* The CPUs on which a trial's streams and disk threads may run, as its field `cpus` names them: a list
 * such as 0-3,8, a NUMA node (`node:0`), or those that are local to the network card (`card`). */
#ifndef ASSAY_TRANSFER_AFFINITY_H
#define ASSAY_TRANSFER_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Longest value of `cpus`, in bytes. */
#define CPUS_LENGTH 1023

/* Whether `cpus` names the CPUs of the card. */
bool affinity_is_of_card(const char *cpus);

/* Fills `found` with those of the named CPUs on which this process may run. Each CPU of a list must be
 * among them, of a node or a card at least one. `card` is its name, empty if it is unknown. False with
 * one line in `error`. */
bool affinity_find(const char *cpus, const char *card, cpu_set_t *found, char *error, size_t size);

#endif
