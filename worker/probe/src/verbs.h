/* The verbs: each takes its arguments after the verb's name and returns an exit code. */
#ifndef ASSAY_VERBS_H
#define ASSAY_VERBS_H

#include "exitcodes.h"
#include "json.h"

#include <stdbool.h>
#include <stdint.h>

int verb_version(int count, char **arguments);
int verb_inspect(int count, char **arguments);
int verb_start(int count, char **arguments);
int verb_release(int count, char **arguments);
int verb_verify(int count, char **arguments);
int verb_verified(int count, char **arguments);
int verb_connect(int count, char **arguments);
int verb_order(int count, char **arguments);
int verb_follow(int count, char **arguments);
int verb_stop(int count, char **arguments);
int verb_sweep(int count, char **arguments);

/* Writes one line to standard error and returns the code: `return complain(EXIT_USAGE, …)`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a finished document as a line on standard output and frees it. */
int print_document(struct text *text);

/* Reads standard input to its end; false if that fails or exceeds its limit. */
bool read_input(struct text *input);

/* Raises the run's generation: EXIT_OK, or the exit code to return, after its message was
 * written. */
int pass_fence(int rundir, uint64_t generation);

/* Opens the directory of a run whose probe runs, and raises its generation: EXIT_OK, or the exit code to return,
 * after its message was written. */
int open_running(const char *path, uint64_t generation, int *rundir);
/* Prints what became of a trial. */
int print_trial(const char *state, uint64_t trial);

/* Parses an option's integer; false if it is not one. */
bool parse_count(const char *text, uint64_t *number);

#endif
