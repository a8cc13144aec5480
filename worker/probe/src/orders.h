/* The orders of a trial: the commands that this end runs, as the worker writes them once it knows the
 * directories and ports of both ends. They stay in the run directory, so that the clean-up runs even if
 * the probe dies. */
#ifndef ASSAY_ORDERS_H
#define ASSAY_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDERS_NAME "orders"
#define ORDERS_MOST 262144

enum readiness { READY_NONE, READY_PORT, READY_LINE };

struct orders {
    uint64_t trial, attempt;
    uint64_t ready;
    uint64_t port;
    char *check;   /* shell text; NULL if there is none, as for the following ones */
    char *main;    /* moves the input, or serves the sink */
    char *cleanup; /* runs before, and at the end in any case */
    char *line;    /* that `main` prints when it is ready */
    char *address; /* of this end, whose card is observed */
};

/* Parses the text, which is overwritten; false with one line in `error`. */
bool orders_parse(char *text, struct orders *orders, char *error, size_t error_size);
void orders_free(struct orders *orders);

/* Reads those of a run directory; false if there are none. */
bool orders_read(int rundir, struct orders *orders);

/* Ends what a dead run left behind: its processes, by their mark, then by its clean-up. */
void orders_sweep(int rundir);

#endif
