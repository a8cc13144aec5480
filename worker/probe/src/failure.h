/* A failure that an operator can act on: a code of the contract, the errno, and a message with
 * what, why and what to do. */
#ifndef ASSAY_FAILURE_H
#define ASSAY_FAILURE_H

#include "spool.h"

#include <stdbool.h>
#include <stdint.h>

struct failure {
    const char *code; /* NULL: nothing failed */
    int error;        /* errno, or 0 */
    bool ends_run;    /* the following trials would fail in the same way */
    char message[512];
};

/* All return false, so that a caller can `return fail(...)`. */
bool fail(struct failure *failure, const char *code, int error, bool ends_run, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Chooses code, cause and remedy by errno; `doing` describes what failed. */
bool fail_errno(struct failure *failure, int error, const char *doing);
/* The file system refuses O_DIRECT. */
bool fail_direct(struct failure *failure, int error);

/* Appends the error event; `trial` is negative outside trials. */
void failure_event(struct spool *spool, const struct failure *failure, int64_t trial);

#endif
