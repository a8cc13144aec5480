/* The options of a link: fields that the trials of all jobs with two ends share. */
#ifndef ASSAY_TRANSFER_LINKOPTIONS_H
#define ASSAY_TRANSFER_LINKOPTIONS_H

#include "parameters.h"
#include "plan.h"

#include <stddef.h>

#define LINK_SENDERS_MOST 32

enum family { FAMILY_IPV4, FAMILY_IPV6 };
enum transfer_role { ROLE_RECEIVER, ROLE_SENDER };

extern const char *const transfer_roles[];
extern const char *const link_families[];

struct link_options {
    uint64_t streams;         /* of each sender */
    uint64_t senders, sender; /* how many there are, and which one this end is; of a receiver 0 */
    uint64_t socket_buffer_bytes;
    uint64_t pacing_bytes_per_s; /* of all streams of this end */
    uint64_t family;
    uint64_t listener;
    uint64_t port_first, port_last;
    uint64_t connect_timeout_ms, silence_ms;
    char *congestion, *bind, *peer; /* NULL if the plan omits them */
    uint64_t role; /* of this end; from the plan */
};

/* Long enough for an address of each sender. */
#define PEERS_LENGTH (LINK_SENDERS_MOST * 46 - 1)

#define LINK_NUMBER(record, member, low, high, otherwise) \
    {.name = #member, .offset = offsetof(record, link.member), .type = FIELD_NUMBER, .least = low, .most = high, \
     .fallback = otherwise}
#define LINK_REQUIRED(record, member, low, high) \
    {.name = #member, .offset = offsetof(record, link.member), .type = FIELD_NUMBER, .required = true, .least = low, .most = high}
#define LINK_WORD(record, member, list) \
    {.name = #member, .offset = offsetof(record, link.member), .type = FIELD_WORD, .words = list}
#define LINK_STRING(record, member, length) \
    {.name = #member, .offset = offsetof(record, link.member), .type = FIELD_STRING, .most = length}

/* For the table of a record that has the options as its member `link`: those that it may omit. The
 * others are `streams`, `senders` and `sender`. */
#define LINK_FIELDS(record) \
    LINK_NUMBER(record, socket_buffer_bytes, PATH_SOCKET_BUFFER_BYTES_LEAST, PATH_SOCKET_BUFFER_BYTES_MOST, 0), \
    LINK_NUMBER(record, pacing_bytes_per_s, PATH_PACING_BYTES_PER_S_LEAST, PATH_PACING_BYTES_PER_S_MOST, 0), \
    LINK_WORD(record, family, link_families), \
    LINK_WORD(record, listener, transfer_roles), \
    LINK_NUMBER(record, port_first, PATH_PORT_FIRST_LEAST, PATH_PORT_FIRST_MOST, 0), \
    LINK_NUMBER(record, port_last, PATH_PORT_LAST_LEAST, PATH_PORT_LAST_MOST, 0), \
    LINK_NUMBER(record, connect_timeout_ms, 100, 3600000, 60000), \
    LINK_NUMBER(record, silence_ms, 1000, 3600000, 30000), \
    LINK_STRING(record, congestion, 15), \
    LINK_STRING(record, bind, 45), \
    LINK_STRING(record, peer, PEERS_LENGTH)

/* Checks the options against each other. */
bool linkoptions_complete(struct parser *parser, const struct link_options *options);

/* Checks the plan's role, token and barrier; fills the role. */
bool linkoptions_check(struct parser *parser, const struct plan *plan, struct link_options *options);

#endif
