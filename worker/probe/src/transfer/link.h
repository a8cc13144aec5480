/* The link of a transfer: the TCP connections of its streams at one end. This file makes their
 * sockets; meeting.c brings both ends together, before anything is measured. */
#ifndef ASSAY_TRANSFER_LINK_H
#define ASSAY_TRANSFER_LINK_H

#include "attempt.h"
#include "sha256.h"
#include "transfer/card.h"
#include "transfer/linkoptions.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* How soon a thread in send or recv notices a stop. */
#define LINK_LOOK_NS (100 * NS_PER_MS)

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage storage;
};

/* Why a connection was rejected. */
enum rejection { REJECTED_ADDRESS, REJECTED_TOKEN, REJECTED_MALFORMED, REJECTED_DEADLINE, REJECTED_SURPLUS, REJECTIONS };
extern const char *const rejection_names[];

struct link {
    const struct link_options *options;
    uint64_t first, count; /* numbers of this end's streams: all of them, or those of one sender */
    bool listens;
    int listener; /* -1 without one */
    uint64_t port; /* of the listener; 0 if unknown */
    int sockets[PATH_STREAMS_MOST]; /* by the streams' numbers; -1 before they are connected */
    uint64_t accepted, rejected[REJECTIONS];
    char local[INET6_ADDRSTRLEN];                      /* empty before a stream is connected */
    char remote[LINK_SENDERS_MOST][INET6_ADDRSTRLEN]; /* of each sender, or, at a sender, of the receiver */
    uint8_t token[SHA256_BYTES];
    uint64_t rtt_idle_ns; /* 0 if unknown */
    struct card card;
    struct card_counters card_start;
};

/* A link of a trial that was parsed, without connections. */
void link_make(struct link *link, const struct link_options *options, const char *token);
void link_close(struct link *link);

/* A numeric address of the trial's family, with a port. */
bool link_address(const struct link_options *options, const char *text, uint64_t port, union address *address);

/* Adds the addresses in the trial's `peer`, separated by commas; false with a failure. */
bool link_peers(const struct link_options *options, union address peers[LINK_SENDERS_MOST], uint64_t *count, struct failure *failure);

/* A socket with the trial's options; -1 with a failure. */
int link_socket(const struct link_options *options, struct failure *failure);

/* Listens at the first free port of the trial; false with a failure. */
bool link_listen(struct link *link, struct failure *failure);

/* Prepares a connected socket for its thread: it blocks, but not for longer than LINK_LOOK_NS. */
bool link_adopt(struct link *link, uint64_t stream, int socket, struct failure *failure);

/* Rejects what still connects after all streams have met. */
void link_reject_others(struct link *link);

/* What the ends of a trial must agree on, as named numbers; at most TERMS of them. */
struct agreement {
    const char *const *names; /* ended by NULL */
    const uint64_t *values;
};

/* Connects all streams: listens and emits `listening`, or waits for the verb `connect`. False with
 * a failure, or without one if the trial is aborted or the run is ending. */
bool link_meet(struct link *link, struct attempt *attempt, const struct agreement *agreement);

/* Ends a stream so that the other end notices at once. Data that the network does not deliver would
 * hold back the end of the stream, so closing it resets the connection. */
void link_cut(int socket);

#endif
