/* One attempt at a trial, at one of its ends. */
#ifndef ASSAY_OBSERVE_OBSERVATION_H
#define ASSAY_OBSERVE_OBSERVATION_H

#include "command.h"
#include "observe/arrival.h"
#include "observe/input.h"
#include "orders.h"
#include "transfer/card.h"

#include <stdbool.h>
#include <stdint.h>

#define DATA_DIRECTORY "tool-data"       /* with the input, or what arrives */
#define SCRATCH_DIRECTORY "tool-scratch" /* for the tool's own files */

/* The CPU time of all CPUs, except idle and stolen time. */
struct cpu_use {
    uint64_t at_ns, busy_ns;
};

struct observation {
    const struct observe_trial *trial;
    struct attempt *attempt;
    struct input_data input;
    char directory[4096]; /* in which the commands run: that of the data, or of the run */
    char mark[4096];      /* of its processes */
    int data, scratch;    /* directories; -1 without */
    uint64_t port, second_port;
    struct orders orders;
    bool has_orders;
    struct command main;
    bool finished;        /* the transfer has ended as it should */
    const char *problem;  /* the code of what went wrong with the main command, or NULL */
    uint64_t arrived_ns;  /* when the directory grew last, since the start; 0 if it never did */
    uint64_t told_ns;     /* when the other end's transfer was over, since the start; 0 before */
    uint64_t seen_bytes;  /* the most that was found in the directory */
    uint64_t sync_ns;     /* of the final sync */
    bool synced;
    struct arrival arrival;
    int64_t used_before, elsewhere_bytes; /* of the sink's file system; -1 if unknown */
    struct cpu_use idle[2], busy[2];      /* before the transfer, and during it with the final sync */
    struct card card;
    struct card_counters card_start, card_end;
};

/* Tells the worker where this end has its directory and ports, waits for the orders, and follows them
 * up to the start; false with a failure, or without one at a stop. */
bool rehearse(struct observation *observation);

/* The work of the thread: runs the source's command, or watches the sink's directory. */
void perform(struct thread *thread);

/* Ends what the orders began: the main command, then the clean-up. */
void clear_up(struct observation *observation);

struct cpu_use cpu_use(void);

#endif
