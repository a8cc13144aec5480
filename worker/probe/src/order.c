/* order: tell a trial of another program which commands it runs. */
#include "orders.h"

#include "rundir.h"
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool are_good(const struct text *input, uint64_t trial, char *error, size_t size)
{
    struct orders orders = {0};
    char *text = strndup(input->data ? input->data : "", input->length);
    bool good = text && orders_parse(text, &orders, error, size);
    if (good && orders.trial != trial) {
        strncpy(error, "trial: differs from the verb's argument; give the same", size - 1);
        good = false;
    }
    orders_free(&orders);
    free(text);
    return good;
}

static int store(const char *path, uint64_t generation, const struct text *input)
{
    int rundir, code = open_running(path, generation, &rundir);
    if (code != EXIT_OK)
        return code;
    if (!rundir_replace(rundir, ORDERS_NAME, input->data, input->length))
        return complain(EXIT_SYSTEM, "the orders cannot be written: %s", strerror(errno));
    return EXIT_OK;
}

int verb_order(int count, char **arguments)
{
    uint64_t trial, generation;
    char error[300] = "";
    struct text input = {0};
    if (count != 4 || !parse_count(arguments[1], &trial) || strcmp(arguments[2], "--generation") != 0 ||
        !parse_count(arguments[3], &generation))
        return complain(EXIT_USAGE, "usage: order RUN_DIR TRIAL --generation G < ORDERS");
    int code = EXIT_OK;
    if (!read_input(&input) || input.length > ORDERS_MOST)
        code = complain(EXIT_USAGE, "the orders cannot be read, or are longer than %d bytes", ORDERS_MOST);
    else if (!are_good(&input, trial, error, sizeof error))
        code = complain(EXIT_BAD_PLAN, "%s", error);
    else
        code = store(arguments[0], generation, &input);
    text_free(&input);
    if (code != EXIT_OK)
        return code;
    return print_trial("told", trial);
}
