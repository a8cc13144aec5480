#include "transfer/link.h"

#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 256

/* Linux 6.15; older headers do not have it. */
#ifndef TCP_RTO_MAX_MS
#define TCP_RTO_MAX_MS 44
#endif
#define RTO_MAX_LEAST_MS 1000
#define RTO_MAX_MOST_MS 120000

const char *const rejection_names[] = {"rejected_address", "rejected_token", "rejected_malformed", "rejected_deadline",
                                       "rejected_surplus"};

void link_make(struct link *link, const struct link_options *options, const char *token)
{
    const bool sends = options->role == ROLE_SENDER;
    *link = (struct link){
        .options = options,
        .first = sends ? options->sender * options->streams : 0,
        .count = sends ? options->streams : options->senders * options->streams,
        .listens = options->listener == options->role,
        .listener = -1,
    };
    for (uint64_t i = 0; i < PATH_STREAMS_MOST; i++)
        link->sockets[i] = -1;
    for (int i = 0; i < SHA256_BYTES; i++) {
        const char pair[3] = {token[2 * i], token[2 * i + 1], '\0'};
        link->token[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

void link_close(struct link *link)
{
    for (uint64_t i = 0; i < PATH_STREAMS_MOST; i++) {
        if (link->sockets[i] >= 0)
            close(link->sockets[i]);
        link->sockets[i] = -1;
    }
    if (link->listener >= 0)
        close(link->listener);
    link->listener = -1;
}

bool link_address(const struct link_options *options, const char *text, uint64_t port, union address *address)
{
    *address = (union address){0};
    if (options->family == FAMILY_IPV6) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return !text || inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1;
    }
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons((uint16_t)port);
    return !text || inet_pton(AF_INET, text, &address->v4.sin_addr) == 1;
}

bool link_peers(const struct link_options *options, union address peers[LINK_SENDERS_MOST], uint64_t *count, struct failure *failure)
{
    char text[PEERS_LENGTH + 1], *rest = text;
    if (!options->peer)
        return true;
    snprintf(text, sizeof text, "%s", options->peer);
    for (char *one; (one = strsep(&rest, ","));)
        if (*count == LINK_SENDERS_MOST || !link_address(options, one, 0, &peers[(*count)++]))
            return fail(failure, "connect_failed", 0, false,
                        "peer=%.80s: is not a list of at most %d numeric addresses of the trial's family", options->peer,
                        LINK_SENDERS_MOST);
    return true;
}

static bool set(int socket, int level, int option, int value)
{
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

/* Options that must precede the connection, because they decide about the window's scale; accepted
 * sockets inherit them. */
static bool set_options(int socket, const struct link_options *options, struct failure *failure)
{
    const int buffer = (int)options->socket_buffer_bytes;
    /* rounded up: a rate of 0 would not pace at all */
    const uint64_t pacing = (options->pacing_bytes_per_s + options->streams - 1) / options->streams;
    if (options->congestion &&
        setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, options->congestion, (socklen_t)strlen(options->congestion)) != 0)
        return fail(failure, "congestion_refused", errno, false,
                    "congestion=%s: this host does not offer it (%s); load its module, or use one of "
                    "net.ipv4.tcp_allowed_congestion_control",
                    options->congestion, strerror(errno));
    bool good = set(socket, IPPROTO_TCP, TCP_NODELAY, 1) && set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    if (buffer)
        good = good && set(socket, SOL_SOCKET, SO_SNDBUF, buffer) && set(socket, SOL_SOCKET, SO_RCVBUF, buffer);
    if (pacing)
        good = good && setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof pacing) == 0;
    return good || fail_errno(failure, errno, "a socket's options cannot be set");
}

int link_socket(const struct link_options *options, struct failure *failure)
{
    int made = socket(options->family == FAMILY_IPV6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) {
        fail_errno(failure, errno, "a socket cannot be created");
        return -1;
    }
    if (set_options(made, options, failure))
        return made;
    close(made);
    return -1;
}

static socklen_t size_of(const union address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

bool link_listen(struct link *link, struct failure *failure)
{
    const struct link_options *options = link->options;
    int reason = EADDRINUSE;
    for (uint64_t port = options->port_first; port <= options->port_last && reason == EADDRINUSE; port++) {
        union address address;
        if (!link_address(options, options->bind, port, &address))
            return fail(failure, "connect_failed", 0, false, "bind=%s: is no numeric address of the trial's family", options->bind);
        int made = link_socket(options, failure);
        if (made < 0)
            return false;
        if (bind(made, &address.any, size_of(&address)) == 0 && listen(made, BACKLOG) == 0) {
            socklen_t size = sizeof address;
            link->listener = made;
            getsockname(made, &address.any, &size);
            link->port = ntohs(options->family == FAMILY_IPV6 ? address.v6.sin6_port : address.v4.sin_port);
            return true;
        }
        reason = errno;
        close(made);
    }
    if (reason != EADDRINUSE)
        return fail(failure, "connect_failed", reason, false, "%s cannot be listened at: %s; set bind to an address of this host, "
                    "and ports above 1023", options->bind ? options->bind : "the port", strerror(reason));
    return fail(failure, "port_taken", reason, false,
                "ports %" PRIu64 " to %" PRIu64 " are in use at this host; free one, or widen port_first and port_last",
                options->port_first, options->port_last);
}

/* A closed window is probed ever less often, up to 120 s apart; more often, a cut is noticed in time.
 * Older kernels refuse it: there the other end's keep-alive probes notice the cut. */
static void limit_backoff(int socket, uint64_t silence_ms)
{
    const uint64_t third = silence_ms / 3;
    set(socket, IPPROTO_TCP, TCP_RTO_MAX_MS,
        (int)(third < RTO_MAX_LEAST_MS ? RTO_MAX_LEAST_MS : third > RTO_MAX_MOST_MS ? RTO_MAX_MOST_MS : third));
}

static void name_ends(struct link *link, uint64_t stream, int socket)
{
    union address ends[2];
    socklen_t sizes[2] = {sizeof ends[0], sizeof ends[1]};
    char *const texts[2] = {link->local, link->remote[(stream - link->first) / link->options->streams]};
    if (getsockname(socket, &ends[0].any, &sizes[0]) != 0 || getpeername(socket, &ends[1].any, &sizes[1]) != 0)
        return;
    for (int i = 0; i < 2; i++) {
        const void *bytes = ends[i].any.sa_family == AF_INET6 ? (const void *)&ends[i].v6.sin6_addr : &ends[i].v4.sin_addr;
        inet_ntop(ends[i].any.sa_family, bytes, texts[i], INET6_ADDRSTRLEN);
    }
}

bool link_adopt(struct link *link, uint64_t stream, int socket, struct failure *failure)
{
    const struct timeval look = {.tv_usec = LINK_LOOK_NS / 1000};
    const int silence_s = (int)(link->options->silence_ms / 1000);
    const int flags = fcntl(socket, F_GETFL);
    const bool good = fcntl(socket, F_SETFL, flags & ~O_NONBLOCK) == 0 &&
                      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look) == 0 &&
                      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &look, sizeof look) == 0 &&
                      set(socket, IPPROTO_TCP, TCP_NODELAY, 1) &&
                      /* three probes within the time: a host that is gone sends no more */
                      set(socket, IPPROTO_TCP, TCP_KEEPIDLE, silence_s > 2 ? silence_s / 2 : 1) &&
                      set(socket, IPPROTO_TCP, TCP_KEEPINTVL, silence_s > 6 ? silence_s / 6 : 1) &&
                      set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3) && set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (!good)
        return fail_errno(failure, errno, "a connection's options cannot be set");
    limit_backoff(socket, link->options->silence_ms);
    name_ends(link, stream, socket);
    link->sockets[stream] = socket;
    link->accepted++;
    return true;
}

void link_reject_others(struct link *link)
{
    for (int other; link->listener >= 0 && (other = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        close(other);
        link->rejected[REJECTED_SURPLUS]++;
    }
}

void link_cut(int socket)
{
    const struct linger none = {.l_onoff = 1};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    shutdown(socket, SHUT_RDWR);
}
