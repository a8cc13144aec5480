/* Why a stream failed: the first problem of all streams of an attempt is its failure, and what follows
 * from it is none. */
#ifndef ASSAY_TRANSFER_PROBLEM_H
#define ASSAY_TRANSFER_PROBLEM_H

#include "failure.h"
#include "threadpool.h"
#include "transfer/stream.h"

#include <stdatomic.h>

enum problem_kind {
    PROBLEM_NONE,
    PROBLEM_ENDED,
    PROBLEM_SILENT,
    PROBLEM_UNACKNOWLEDGED,
    PROBLEM_BROKEN,
    PROBLEM_FRAME,
    PROBLEM_DIGEST
};

struct problem {
    atomic_int kind;  /* an enum problem_kind */
    atomic_int error; /* errno, or 0 */
};

/* A stream of this thread has failed: the others stop. */
void problem_raise(struct problem *problem, struct thread *thread, enum problem_kind kind, int error);

/* The same of a call that did not transfer everything; errno is that of the call. */
void problem_of_call(struct problem *problem, struct thread *thread, enum moved moved);

/* Describes the problem; false if there is none. `what` are the units that streams carry. */
bool problem_explain(struct problem *problem, struct failure *failure, const char *what);

#endif
