/* What a link reports: the streams' TCP_INFO, its addresses and options, and its card. */
#ifndef ASSAY_TRANSFER_LINKREPORT_H
#define ASSAY_TRANSFER_LINKREPORT_H

#include "json.h"
#include "transfer/link.h"

/* Before the start: finds the card, and takes its counters and the round-trip time without load. */
void linkreport_begin(struct link *link);

/* `tcp_info_bytes` and `streams`. */
void linkreport_streams(struct text *line, const struct link *link);

/* A stage of the pipeline, as an element of an array: the bytes of its threads, their time in calls, and how long
 * they waited on a full and on an empty ring. */
struct stage_sums {
    uint64_t threads, bytes, call_ns, full_ns, empty_ns;
};
void linkreport_stage(struct text *line, const char *name, const struct stage_sums *sums);

/* Counters of the card and of the host's soft interrupts since the trial's start. */
void linkreport_counters(struct text *line, const struct link *link);

/* What a result has of the link and its streams, and its connections. */
void linkreport_fields(struct text *line, const struct link *link);
void linkreport_connections(struct text *line, const struct link *link);

#endif
