/* Where an end of a transfer runs: the CPUs of its threads, the NUMA nodes of these and of its disk, and
 * its card's driver, queues and interrupts. What the kernel does not report is unknown, as everything
 * about the device of a virtual card is. */
#ifndef ASSAY_TRANSFER_PLACEMENT_H
#define ASSAY_TRANSFER_PLACEMENT_H

#include "json.h"
#include "transfer/card.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define IRQS_MOST 256

/* How a card is set up at one moment. */
struct card_setup {
    bool known;                   /* sysfs describes the card */
    char driver[64];              /* empty if unknown */
    int64_t rx_queues, tx_queues; /* -1 if unknown */
    bool has_local, has_rps, has_xps;
    cpu_set_t local;    /* the CPUs near the card */
    cpu_set_t rps, xps; /* to which any of its queues steers packets, and which any may send by */
    int64_t irq_count;  /* of message-signaled interrupts; -1 if unknown */
    struct card_irq {
        uint64_t number;
        bool known;
        cpu_set_t cpus; /* that handle it, as the kernel chose among those permitted */
    } irqs[IRQS_MOST];
};

/* The CPUs of an end's threads. */
struct thread_cpus {
    bool known;        /* it has threads */
    cpu_set_t allowed; /* on which they may run */
    cpu_set_t used;    /* on which they were seen */
};

struct placement {
    const struct card *card;
    struct card_setup start;
    struct text interrupts; /* of /proc/interrupts at the start: the lines of the CPUs and of the card; empty if unknown */
};

/* Reads what holds before a trial. */
void placement_begin(struct placement *placement, const struct card *card);
void placement_free(struct placement *placement);

/* Writes the field `placement`, with what holds now and the interrupts since the begin. `cpus` is the
 * plan's field or NULL; `disk` a block device, empty without one. */
void placement_field(struct text *line, const struct placement *placement, const char *cpus, const struct thread_cpus *threads,
                     const char *disk);

#endif
