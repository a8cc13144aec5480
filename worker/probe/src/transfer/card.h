/* The network card of a local address, and its counters; those of the host's soft interrupts. */
#ifndef ASSAY_TRANSFER_CARD_H
#define ASSAY_TRANSFER_CARD_H

#include "json.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct card {
    char name[IF_NAMESIZE]; /* empty if it is unknown */
    int64_t mtu, speed_mbps, numa_node; /* -1 if unknown */
};

struct card_counters {
    bool has_card, has_softnet;
    uint64_t rx_bytes, tx_bytes, rx_dropped, tx_dropped;
    uint64_t softnet_dropped, softnet_squeezed; /* of all CPUs */
};

/* Finds the card that has a numeric address. */
void card_find(struct card *card, const char *address);

/* Whether sysfs describes the card: it may show the cards of another network namespace, which may have
 * the same names. */
bool card_in_sysfs(const char *name);

void card_read(const struct card *card, struct card_counters *counters);

/* What the card is, as fields of an object. */
void card_fields(struct text *line, const struct card *card);
/* By how much a counter has grown since the start; null if it is unknown. */
void card_counter_field(struct text *line, const char *name, bool known, uint64_t now, uint64_t start);

#endif
