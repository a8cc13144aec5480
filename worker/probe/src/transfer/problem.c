#include "transfer/problem.h"

#include "clock.h"

#include <errno.h>
#include <string.h>

/* Both ends have the same limit, and the one that reaches it first ends its streams. */
#define LIMIT_GRACE_NS NS_PER_S

void problem_raise(struct problem *problem, struct thread *thread, enum problem_kind kind, int error)
{
    int none = PROBLEM_NONE;
    if (atomic_load(&thread->pool->stop))
        return;
    if (kind == PROBLEM_ENDED && clock_mono() + LIMIT_GRACE_NS >= thread->pool->deadline_ns) {
        thread->timed_out = true;
        return;
    }
    if (atomic_compare_exchange_strong(&problem->kind, &none, (int)kind))
        atomic_store(&problem->error, error);
    thread_fail(thread, EPROTO);
}

void problem_of_call(struct problem *problem, struct thread *thread, enum moved moved)
{
    const int error = errno;
    switch (moved) {
    case MOVED_ALL:
    case MOVED_STOPPED:
        return;
    case MOVED_ENDED:
        problem_raise(problem, thread, PROBLEM_ENDED, 0);
        return;
    case MOVED_SILENT:
        problem_raise(problem, thread, PROBLEM_SILENT, 0);
        return;
    case MOVED_NOTHING_ACKNOWLEDGED:
        problem_raise(problem, thread, PROBLEM_UNACKNOWLEDGED, 0);
        return;
    case MOVED_FAILED:
        problem_raise(problem, thread, PROBLEM_BROKEN, error);
        return;
    }
}

bool problem_explain(struct problem *problem, struct failure *failure, const char *what)
{
    const int error = atomic_load(&problem->error);
    switch ((enum problem_kind)atomic_load(&problem->kind)) {
    case PROBLEM_NONE:
        return false;
    case PROBLEM_ENDED:
        fail(failure, "peer_ended", 0, false,
             "the other end closed a stream before it was complete; its own error, or its host's log, says why");
        return true;
    case PROBLEM_SILENT:
        fail(failure, "peer_silent", ETIMEDOUT, false,
             "the other end's host has not answered for the time of silence_ms; check the network and that host");
        return true;
    case PROBLEM_UNACKNOWLEDGED:
        fail(failure, "peer_silent", ETIMEDOUT, false,
             "data was sent and none of it acknowledged, although the connections were made: the MTU of the path is probably "
             "smaller than the card's (a black hole); lower the card's MTU, or let the routers report it");
        return true;
    case PROBLEM_BROKEN:
        fail(failure, "peer_silent", error, false, "a stream failed: %s; check the network between the hosts", strerror(error));
        return true;
    case PROBLEM_FRAME:
        fail(failure, "peer_differs", EPROTO, false,
             "a stream brought something other than this trial's %s; use the same version of the probe at both ends", what);
        return true;
    case PROBLEM_DIGEST:
        fail(failure, "digest_mismatch", 0, false,
             "the receiver's %s differ from the sender's: data was lost or changed between them; check cards, cables and "
             "memory of both hosts",
             what);
        return true;
    }
    return false;
}
