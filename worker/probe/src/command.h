/* The commands of a tool: shells in sessions of their own, whose output is kept up to a limit. All
 * processes that they start carry a mark in their environment, the run directory, so that they are
 * found and ended however the probe ends. Those that empty their environment are found as descendants
 * of the probe while it lives. */
#ifndef ASSAY_COMMAND_H
#define ASSAY_COMMAND_H

#include "failure.h"
#include "json.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OUTPUT_MOST 8192

/* The end of what a process printed. */
struct tail {
    char text[OUTPUT_MOST + 1];
    size_t length;
};

struct command {
    const char *name; /* in messages: "the source's command" */
    pid_t pid;        /* of the shell, which leads the session; 0 if none was started */
    int output, errors; /* pipes; -1 when closed */
    struct tail said, complained;
    const char *awaited; /* text that it is to print, or NULL */
    bool seen;           /* it has printed that */
    bool running;
    bool limited; /* ended by its time limit */
    int status;   /* of waitpid, after its end */
    uint64_t started_ns, ended_ns, cpu_ns;
};

/* Starts shell text in a directory; false with a failure. */
bool command_start(struct command *command, const char *name, const char *text, const char *directory, const char *mark,
                   struct failure *failure);

/* Reads what the command printed and whether it has ended, for at most `wait_ms`. */
void command_look(struct command *command, int wait_ms);

/* Ends it and everything that it started: politely first, for at most `patience_ms`. */
void command_end(struct command *command, const char *mark, uint64_t patience_ms);

/* Whether it ended by itself with exit code 0. */
bool command_good(const struct command *command);

/* Fails with how it ended, and the end of what it complained about. */
bool command_fail(const struct command *command, const char *code, struct failure *failure);

/* The field `command` of a result, or null if it was never started. */
void command_field(struct text *line, const struct command *command);

void command_close(struct command *command);

/* Ends all processes with a mark, of this user, and all that the caller's commands started; false if
 * some remain. The mark may be that of another process. */
bool command_sweep(const char *mark);

#endif
