#include "orders.h"

#include "clock.h"
#include "fields.h"
#include "command.h"
#include "rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_MOST 60000
#define CLEANUP_MS 30000

static const char *const readinesses[] = {"none", "port", "line", NULL};

static const struct field orders_fields[] = {
    NUMBER(struct orders, trial, 0, INT32_MAX),
    NUMBER(struct orders, attempt, 1, INT32_MAX),
    OPTIONAL_WORD(struct orders, ready, readinesses),
    OPTIONAL_NUMBER(struct orders, port, 0, 65535, 0),
    STRING(struct orders, check, false, COMMAND_MOST),
    STRING(struct orders, main, false, COMMAND_MOST),
    STRING(struct orders, cleanup, false, COMMAND_MOST),
    STRING(struct orders, line, false, 1000),
    STRING(struct orders, address, false, 45),
    {.name = NULL},
};

bool orders_parse(char *text, struct orders *orders, char *error, size_t error_size)
{
    const struct field *const tables[] = {orders_fields, NULL};
    struct parser parser = {.line = 1, .error = error, .error_size = error_size};
    char *rest = text;
    *orders = (struct orders){0};
    text[strcspn(text, "\n")] = '\0';
    const char *record = strsep(&rest, " ");
    if (strcmp(record, "orders") != 0)
        return plan_refuse(&parser, "\"%.80s\": expected orders", record);
    if (!fields_parse(&parser, rest, tables, orders))
        return false;
    if (orders->ready == READY_PORT && !orders->port)
        return plan_refuse(&parser, "port=0: ready=port waits for a port; give it");
    return orders->ready != READY_LINE || orders->line || plan_refuse(&parser, "line: is missing with ready=line; give it");
}

void orders_free(struct orders *orders)
{
    fields_free(orders_fields, orders);
    *orders = (struct orders){0};
}

bool orders_read(int rundir, struct orders *orders)
{
    char error[200];
    char *text = malloc(ORDERS_MOST + 1);
    const bool good = text && rundir_read(rundir, ORDERS_NAME, text, ORDERS_MOST) > 0 &&
                      orders_parse(text, orders, error, sizeof error);
    free(text);
    return good;
}

/* The path of an open directory; false if it is unknown. */
static bool path_of(int directory, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    const ssize_t length = readlink(link, path, size - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return true;
}

void orders_sweep(int rundir)
{
    char mark[4096];
    struct orders orders;
    struct command command = {0};
    struct failure failure = {0};
    if (faccessat(rundir, ORDERS_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0 || !path_of(rundir, mark, sizeof mark))
        return;
    command_sweep(mark);
    if (!orders_read(rundir, &orders))
        return;
    if (orders.cleanup && command_start(&command, "the clean-up", orders.cleanup, "/", mark, &failure)) {
        for (const uint64_t until = clock_mono() + CLEANUP_MS * NS_PER_MS; command.running && clock_mono() < until;)
            command_look(&command, 20);
        command_end(&command, mark, 0);
        command_close(&command);
    }
    orders_free(&orders);
    unlinkat(rundir, ORDERS_NAME, 0);
}
