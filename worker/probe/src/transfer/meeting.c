/* The meeting of both ends of a link, before the start: one thread brings all connections through
 * their greetings at the same time, so that a slow or silent stranger delays none of them, and a
 * long round trip costs the same for many streams as for one. */
#include "transfer/link.h"

#include "clock.h"
#include "rundir.h"
#include "transfer/greeting.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLERS_MOST 256
/* Strangers at one address cannot take all places, and all streams of a peer at that address fit
 * beside them. */
#define CALLERS_OF_ADDRESS_MOST (PATH_STREAMS_MOST + 64)
#define GREETING_NS (5 * NS_PER_S)
#define POLL_MS 50

/* What a connection waits for. */
enum step { STEP_CONNECTED, STEP_CHALLENGE, STEP_CLAIM, STEP_REPLY };

struct caller {
    int socket;
    union address from; /* of the end that listens */
    enum step step;
    uint64_t stream; /* of the end that connects */
    uint64_t deadline_ns;
    size_t got;
    struct greeting greeting;
    uint8_t message[CLAIM_BYTES];
};

struct meeting {
    struct link *link;
    struct attempt *attempt;
    struct failure *failure; /* the attempt's */
    const struct agreement *agreement;
    struct terms terms;
    struct caller *callers;
    uint64_t count;
    union address peers[LINK_SENDERS_MOST]; /* whose connections are accepted, or to which this end connects */
    uint64_t peer_count; /* 0: anyone's */
    uint64_t deadline_ns; /* 0 while the other end may still prepare, which takes as long as it takes */
    uint64_t told_ns;     /* when a progress event last said so */
};

static struct terms terms_of(const struct agreement *agreement)
{
    struct terms terms = {0};
    for (int i = 0; agreement->names[i]; i++)
        terms.value[i] = agreement->values[i];
    return terms;
}

static const char *difference(const struct meeting *meeting, const struct terms *other)
{
    for (int i = 0; i < TERMS; i++)
        if (meeting->terms.value[i] != other->value[i])
            return meeting->agreement->names[i] ? meeting->agreement->names[i] : "job";
    return NULL;
}

/* From here both ends are prepared, and only the network is between them. */
static void start_clock(struct meeting *meeting)
{
    meeting->deadline_ns = clock_mono() + meeting->link->options->connect_timeout_ms * NS_PER_MS;
}

static void hang_up(struct meeting *meeting, struct caller *caller)
{
    if (caller->socket >= 0)
        close(caller->socket);
    *caller = meeting->callers[--meeting->count];
}

static void reject(struct meeting *meeting, struct caller *caller, enum rejection why)
{
    meeting->link->rejected[why]++;
    hang_up(meeting, caller);
}

static struct caller *add_caller(struct meeting *meeting, int socket, enum step step)
{
    struct caller *caller = &meeting->callers[meeting->count++];
    *caller = (struct caller){.socket = socket, .step = step, .deadline_ns = clock_mono() + GREETING_NS};
    caller->greeting.token = meeting->link->token;
    return caller;
}

static bool say(const struct caller *caller, const uint8_t *message, size_t bytes)
{
    return send(caller->socket, message, bytes, MSG_NOSIGNAL) == (ssize_t)bytes; /* fits into any send buffer */
}

static bool is_same_host(const union address *one, const union address *other)
{
    return one->any.sa_family == AF_INET6 ? memcmp(&one->v6.sin6_addr, &other->v6.sin6_addr, sizeof one->v6.sin6_addr) == 0
                                          : one->v4.sin_addr.s_addr == other->v4.sin_addr.s_addr;
}

static bool is_peer(const struct meeting *meeting, const union address *from)
{
    bool found = meeting->peer_count == 0;
    for (uint64_t i = 0; i < meeting->peer_count && !found; i++)
        found = is_same_host(from, &meeting->peers[i]);
    return found;
}

/* Silent strangers must not keep the peer waiting: if all places, or all of one address, are taken,
 * the oldest caller there leaves. A peer proves itself within a round trip. */
static void make_room(struct meeting *meeting, const union address *from)
{
    struct caller *oldest = NULL, *oldest_there = NULL;
    uint64_t there = 0;
    for (uint64_t i = 0; i < meeting->count; i++) {
        struct caller *caller = &meeting->callers[i];
        const bool same = is_same_host(&caller->from, from);
        there += same;
        if (!oldest || caller->deadline_ns < oldest->deadline_ns)
            oldest = caller;
        if (same && (!oldest_there || caller->deadline_ns < oldest_there->deadline_ns))
            oldest_there = caller;
    }
    if (there >= CALLERS_OF_ADDRESS_MOST)
        reject(meeting, oldest_there, REJECTED_SURPLUS);
    else if (meeting->count >= CALLERS_MOST)
        reject(meeting, oldest, REJECTED_SURPLUS);
}

static void accept_callers(struct meeting *meeting)
{
    for (int i = 0; i < CALLERS_MOST; i++) { /* then look at those that have a place */
        union address from;
        socklen_t size = sizeof from;
        uint8_t challenge[CHALLENGE_BYTES];
        int made = accept4(meeting->link->listener, &from.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (made < 0)
            return;
        if (!is_peer(meeting, &from)) {
            close(made);
            meeting->link->rejected[REJECTED_ADDRESS]++;
            continue;
        }
        make_room(meeting, &from);
        struct caller *caller = add_caller(meeting, made, STEP_CLAIM);
        caller->from = from;
        if (!greeting_challenge(&caller->greeting, challenge) || !say(caller, challenge, sizeof challenge))
            reject(meeting, caller, REJECTED_MALFORMED);
    }
}

/* A greeted connection becomes a stream's. */
static bool adopt(struct meeting *meeting, struct caller *caller, uint64_t stream)
{
    bool good = link_adopt(meeting->link, stream, caller->socket, meeting->failure);
    if (meeting->deadline_ns == 0)
        start_clock(meeting);
    if (good)
        caller->socket = -1;
    hang_up(meeting, caller);
    return good;
}

static bool take_claim(struct meeting *meeting, struct caller *caller)
{
    uint8_t message[REPLY_BYTES];
    struct terms terms;
    uint64_t stream;
    memcpy(caller->greeting.claim, caller->message, CLAIM_BYTES);
    const enum claim claim = greeting_check(&caller->greeting, &stream, &terms);
    if (claim != CLAIM_GOOD) {
        reject(meeting, caller, claim == CLAIM_FORGED ? REJECTED_TOKEN : REJECTED_MALFORMED);
        return true;
    }
    const char *differs = difference(meeting, &terms);
    const bool surplus = !differs && (stream >= meeting->link->count || meeting->link->sockets[stream] >= 0);
    greeting_reply(&caller->greeting, differs ? REPLY_DIFFERS : surplus ? REPLY_SURPLUS : REPLY_ACCEPTED, message);
    const bool told = say(caller, message, sizeof message);
    if (differs)
        return fail(meeting->failure, "peer_differs", 0, false,
                    "the other end executes this trial with another %s; give both ends the same fields", differs);
    if (told && !surplus)
        return adopt(meeting, caller, stream);
    reject(meeting, caller, surplus ? REJECTED_SURPLUS : REJECTED_MALFORMED);
    return true;
}

static bool take_challenge(struct meeting *meeting, struct caller *caller)
{
    if (!greeting_claim(&caller->greeting, caller->message, caller->stream, &meeting->terms))
        return fail(meeting->failure, "peer_refused", 0, false,
                    "what listens at the other end's port is not the probe of this trial; free the port, or set another range");
    if (!say(caller, caller->greeting.claim, CLAIM_BYTES))
        return fail(meeting->failure, "peer_refused", errno, false, "the other end closed a connection during its greeting");
    caller->step = STEP_REPLY;
    caller->got = 0;
    return true;
}

static bool take_reply(struct meeting *meeting, struct caller *caller)
{
    switch (greeting_replied(&caller->greeting, caller->message)) {
    case REPLY_ACCEPTED:
        return adopt(meeting, caller, caller->stream);
    case REPLY_DIFFERS:
        return fail(meeting->failure, "peer_differs", 0, false,
                    "the other end executes this trial with other fields; its error names the one that differs");
    case REPLY_SURPLUS:
        return fail(meeting->failure, "peer_refused", 0, false,
                    "the other end already has stream %" PRIu64 ": another process connected with the same token", caller->stream);
    case REPLY_FORGED:
        break;
    }
    return fail(meeting->failure, "peer_refused", 0, false,
                "what listens at the other end's port does not know this run's token; free the port, or set another range");
}

static size_t awaited(const struct caller *caller)
{
    return caller->step == STEP_CHALLENGE ? CHALLENGE_BYTES : caller->step == STEP_CLAIM ? CLAIM_BYTES : REPLY_BYTES;
}

static bool take_connected(struct meeting *meeting, struct caller *caller)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(caller->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        return fail(meeting->failure, "connect_failed", error, false,
                    "the other end cannot be reached at port %" PRIu64 ": %s; open its firewall for this port, set bind to the "
                    "right card, or let the other end connect (listener)",
                    meeting->link->port, strerror(error));
    caller->step = STEP_CHALLENGE;
    return true;
}

/* The other end, or a stranger, has closed the connection. */
static bool lose(struct meeting *meeting, struct caller *caller)
{
    if (meeting->link->listens) {
        reject(meeting, caller, REJECTED_MALFORMED);
        return true;
    }
    return fail(meeting->failure, "peer_refused", 0, false,
                "the other end closed a connection during its greeting: it rejects this host's address (peer) or its token, or "
                "it is not the probe of this trial");
}

/* Brings a connection further after something happened on it; false with a failure. */
static bool serve(struct meeting *meeting, struct caller *caller)
{
    if (caller->step == STEP_CONNECTED)
        return take_connected(meeting, caller);
    ssize_t got = recv(caller->socket, caller->message + caller->got, awaited(caller) - caller->got, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return lose(meeting, caller);
    caller->got += (size_t)got;
    if (caller->got < awaited(caller))
        return true;
    return caller->step == STEP_CLAIM       ? take_claim(meeting, caller)
           : caller->step == STEP_CHALLENGE ? take_challenge(meeting, caller)
                                            : take_reply(meeting, caller);
}

static bool call(struct meeting *meeting, uint64_t stream)
{
    const struct link_options *options = meeting->link->options;
    const union address *peer = &meeting->peers[0];
    const socklen_t size = options->family == FAMILY_IPV6 ? sizeof peer->v6 : sizeof peer->v4;
    union address own;
    int made = link_socket(options, meeting->failure);
    if (made < 0)
        return false;
    struct caller *caller = add_caller(meeting, made, STEP_CONNECTED);
    caller->stream = stream;
    caller->deadline_ns = meeting->deadline_ns;
    if (options->bind && (!link_address(options, options->bind, 0, &own) || bind(made, &own.any, size) != 0))
        return fail(meeting->failure, "connect_failed", errno, false, "bind=%s is no address of this host; use one that it has",
                    options->bind);
    if (connect(made, &peer->any, size) == 0 || errno == EINPROGRESS)
        return true;
    return fail(meeting->failure, "connect_failed", errno, false, "the other end cannot be reached: %s", strerror(errno));
}

/* Says once per second that this end waits for the other one, without a limit of its own. */
static void say_waiting(struct meeting *meeting)
{
    const uint64_t now = clock_mono();
    if (now - meeting->told_ns < PROGRESS_NS)
        return;
    meeting->told_ns = now;
    progress_event(meeting->attempt->workspace->spool, "awaiting_peer", NULL, 0, 0);
}

/* Whether to go on waiting; false with a failure at the deadline, without one at a stop. */
static bool has_time(struct meeting *meeting)
{
    struct workspace *workspace = meeting->attempt->workspace;
    const struct link *link = meeting->link;
    uint64_t at;
    if (!limits_hold(&workspace->limits) ||
        rundir_released(workspace->limits.rundir, meeting->attempt->trial->position, &at) == RELEASE_ABORT)
        return false;
    if (meeting->deadline_ns == 0) {
        say_waiting(meeting);
        return true;
    }
    if (clock_mono() < meeting->deadline_ns)
        return true;
    uint64_t rejected = 0;
    for (int i = 0; i < REJECTIONS; i++)
        rejected += link->rejected[i];
    return fail(meeting->failure, "connect_failed", ETIMEDOUT, false,
                "%" PRIu64 " of %" PRIu64 " streams were connected within %" PRIu64 " ms, at port %" PRIu64 ", and %" PRIu64
                " connections rejected; open the listener's firewall for this port, or let the other end listen (listener)",
                link->accepted, link->count, link->options->connect_timeout_ms, link->port, rejected);
}

static void drop_silent(struct meeting *meeting)
{
    const uint64_t now = clock_mono();
    for (uint64_t i = meeting->count; meeting->link->listens && i-- > 0;)
        if (now >= meeting->callers[i].deadline_ns)
            reject(meeting, &meeting->callers[i], REJECTED_DEADLINE);
}

/* Serves the connections on which something happens, from the last one, because serving one may
 * move the last into its place. */
static bool serve_all(struct meeting *meeting)
{
    struct pollfd polled[CALLERS_MOST + 1];
    const uint64_t count = meeting->count;
    for (uint64_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){meeting->callers[i].socket,
                                    meeting->callers[i].step == STEP_CONNECTED ? POLLOUT : POLLIN, 0};
    polled[count] = (struct pollfd){meeting->link->listener, POLLIN, 0};
    if (poll(polled, count + 1, POLL_MS) > 0)
        for (uint64_t i = count; i-- > 0;)
            if (polled[i].revents && !serve(meeting, &meeting->callers[i]))
                return false;
    if (meeting->link->listens)
        accept_callers(meeting);
    drop_silent(meeting);
    return true;
}

static void say_listening(const struct meeting *meeting)
{
    struct text *line = event_begin(meeting->attempt->workspace->spool, "listening");
    json_uint(line, "trial", meeting->attempt->trial->position);
    json_uint(line, "attempt", meeting->attempt->trial->attempt);
    json_uint(line, "port", meeting->link->port);
    json_string(line, "address", meeting->link->options->bind);
    event_end(meeting->attempt->workspace->spool);
}

static bool listen_for_peer(struct meeting *meeting)
{
    if (!link_peers(meeting->link->options, meeting->peers, &meeting->peer_count, meeting->failure))
        return false;
    if (!link_listen(meeting->link, meeting->failure))
        return false;
    say_listening(meeting);
    return true;
}

static bool call_peer(struct meeting *meeting)
{
    const struct attempt *attempt = meeting->attempt;
    struct link *link = meeting->link;
    char address[PEER_ADDRESS];
    uint64_t port;
    while (!rundir_connected(attempt->workspace->limits.rundir, attempt->trial->position, address, &port)) {
        if (!has_time(meeting))
            return false;
        clock_sleep(10 * NS_PER_MS);
    }
    start_clock(meeting);
    link->port = port;
    if (!link_address(link->options, address, port, &meeting->peers[0]))
        return fail(meeting->failure, "connect_failed", 0, false,
                    "%s is no address of the trial's family; connect with one, or set family", address);
    for (uint64_t i = 0; i < link->count; i++)
        if (!call(meeting, link->first + i))
            return false;
    return true;
}

bool link_meet(struct link *link, struct attempt *attempt, const struct agreement *agreement)
{
    struct meeting meeting = {
        .link = link,
        .attempt = attempt,
        .failure = &attempt->failure,
        .agreement = agreement,
        .terms = terms_of(agreement),
        .callers = calloc(CALLERS_MOST, sizeof *meeting.callers),
        .told_ns = clock_mono(),
    };
    if (!meeting.callers)
        return fail_errno(&attempt->failure, ENOMEM, "the connections cannot be allocated");
    bool good = link->listens ? listen_for_peer(&meeting) : call_peer(&meeting);
    while (good && link->accepted < link->count)
        good = has_time(&meeting) && serve_all(&meeting);
    while (meeting.count > 0)
        hang_up(&meeting, &meeting.callers[meeting.count - 1]);
    free(meeting.callers);
    return good;
}
