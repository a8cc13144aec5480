/* The exit codes of the verbs; part of the contract. */
#ifndef ASSAY_EXITCODES_H
#define ASSAY_EXITCODES_H

enum exit_code {
    EXIT_OK = 0,
    EXIT_USAGE = 2,
    EXIT_BAD_PLAN = 3,
    EXIT_FENCED = 4,
    EXIT_DEAD = 10,
    EXIT_NO_RUN = 11,
    EXIT_SYSTEM = 12,
    EXIT_STUCK = 13,
    EXIT_BUSY = 14,
};

#endif
