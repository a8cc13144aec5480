#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 65536
#define DAY_MS 86400000ull
#define HANG_MS 600000ull
#define SPOOL_BYTES (4ull << 30)
#define POOL_BYTES (256ull << 10)
#define PATH_LIMIT 3500

static const char *const yes_or_no[] = {"no", "yes", NULL};

static const struct field plan_fields[] = {
    STRING(struct plan, job, true, 32),
    STRING(struct plan, run, true, 128),
    STRING(struct plan, group, false, 128),
    STRING(struct plan, role, false, 32),
    STRING(struct plan, token, false, 64),
    NUMBER(struct plan, generation, 0, INT64_MAX),
    NUMBER(struct plan, watch_ms, 100, 366 * DAY_MS),
    NUMBER(struct plan, sample_ms, 100, 60000),
    OPTIONAL_NUMBER(struct plan, max_buffer_bytes, 0, INT64_MAX, 0),
    OPTIONAL_NUMBER(struct plan, hang_ms, 1000, 366 * DAY_MS, HANG_MS),
    OPTIONAL_NUMBER(struct plan, spool_bytes, 65536, INT64_MAX, SPOOL_BYTES),
    OPTIONAL_NUMBER(struct plan, pool_bytes, 4096, 4194304, POOL_BYTES),
    OPTIONAL_NUMBER(struct plan, read_bytes, 0, INT64_MAX, 0),
    OPTIONAL_NUMBER(struct plan, read_events, 0, INT64_MAX, 0),
    OPTIONAL_WORD(struct plan, barrier, yes_or_no),
    {.name = NULL},
};

static const struct field target_fields[] = {
    STRING(struct plan_target, path, true, PATH_LIMIT),
    STRING(struct plan_target, role, false, 32),
    STRING(struct plan_target, fs_type, false, LINE_LIMIT),
    STRING(struct plan_target, fs_source, false, LINE_LIMIT),
    STRING(struct plan_target, fs_uuid, false, LINE_LIMIT),
    NUMBER(struct plan_target, reserve_bytes, 0, INT64_MAX),
    {.name = NULL},
};

static const struct field trial_fields[] = {
    NUMBER(struct trial, position, 0, INT32_MAX),
    NUMBER(struct trial, attempt, 1, INT32_MAX),
    NUMBER(struct trial, timeout_ms, 1, 366 * DAY_MS),
    NUMBER(struct trial, sync_timeout_ms, 1, 366 * DAY_MS),
    OPTIONAL_NUMBER(struct trial, done_bytes, 0, INT64_MAX, 0),
    OPTIONAL_NUMBER(struct trial, done_ns, 0, INT64_MAX, 0),
    {.name = NULL},
};

static bool find_type(struct parser *parser, const struct trial_type *const types[], struct plan *plan)
{
    char jobs[128] = "";
    for (size_t i = 0; types[i]; i++) {
        if (strcmp(types[i]->job, plan->job) == 0) {
            plan->type = types[i];
            return true;
        }
        strncat(jobs, i ? ", " : "", sizeof jobs - strlen(jobs) - 1);
        strncat(jobs, types[i]->job, sizeof jobs - strlen(jobs) - 1);
    }
    return plan_refuse(parser, "job=%s: must be one of %s; use a probe that knows this job", plan->job, jobs);
}

static bool parse_plan(struct parser *parser, char *rest, const struct trial_type *const types[], struct plan *plan)
{
    const struct field *const tables[] = {plan_fields, NULL};
    const char *version = rest ? strsep(&rest, " ") : "";
    if (strcmp(version, "v=2") != 0)
        return plan_refuse(parser, "%.80s: the plan's first field must be v=2, the contract of this probe", version);
    return fields_parse(parser, rest, tables, plan) && find_type(parser, types, plan);
}

static bool parse_target(struct parser *parser, char *rest, struct plan *plan)
{
    const struct field *const tables[] = {target_fields, NULL};
    if (plan->target_count == plan->type->targets)
        return plan_refuse(parser, "target: job=%s takes %s%" PRIu64 " of them; omit this one", plan->job,
                           plan->type->optional_targets ? "at most " : "", plan->type->targets);
    struct plan_target *target = &plan->targets[plan->target_count++];
    if (!fields_parse(parser, rest, tables, target))
        return false;
    return target->path[0] == '/' || plan_refuse(parser, "path=%.80s: must be an absolute path", target->path);
}

static bool check_order(struct parser *parser, const struct plan *plan, const struct trial *trial)
{
    const struct trial *last = plan->count ? plan_trial(plan, plan->count - 1) : NULL;
    return !last || trial->position > last->position ||
           plan_refuse(parser, "position=%" PRIu64 ": must be greater than %" PRIu64 ", the position of the previous trial",
                       trial->position, last->position);
}

static bool parse_trial(struct parser *parser, char *rest, struct plan *plan)
{
    const struct field *const tables[] = {trial_fields, plan->type->fields, NULL};
    size_t size = plan->type->size;
    if ((plan->count & (plan->count - 1)) == 0) { /* grows at 0, 1, 2, 4, 8 … */
        char *trials = realloc(plan->trials, (plan->count ? plan->count * 2 : 1) * size);
        if (!trials)
            return plan_refuse(parser, "no memory");
        plan->trials = trials;
    }
    struct trial *trial = plan_trial(plan, plan->count);
    memset(trial, 0, size);
    if (!fields_parse(parser, rest, tables, trial) || !check_order(parser, plan, trial) ||
        !plan->type->complete(parser, trial) || (plan->type->check && !plan->type->check(parser, plan, trial))) {
        fields_free(plan->type->fields, trial);
        return false;
    }
    plan->count++;
    return true;
}

static bool has_targets(const struct plan *plan)
{
    return plan->type && (plan->type->optional_targets || plan->target_count == plan->type->targets);
}

static const char *expected(const struct plan *plan)
{
    if (!plan->type)
        return "plan v=2";
    return !has_targets(plan) ? "target" : "trial, or end after the last trial";
}

static bool parse_line(struct parser *parser, char *line, const struct trial_type *const types[], struct plan *plan,
                       bool *ended)
{
    char *rest = line;
    char *record = strsep(&rest, " ");
    if (*ended)
        return plan_refuse(parser, "there is text after end");
    if (strcmp(record, "plan") == 0 && !plan->type)
        return parse_plan(parser, rest, types, plan);
    if (strcmp(record, "target") == 0 && plan->type && plan->count == 0)
        return parse_target(parser, rest, plan);
    if (strcmp(record, "trial") == 0 && has_targets(plan))
        return parse_trial(parser, rest, plan);
    if (strcmp(record, "end") == 0 && !rest && plan->count > 0) {
        *ended = true;
        return true;
    }
    return plan_refuse(parser, "\"%.80s\": expected %s", record, expected(plan));
}

bool plan_parse(const char *text, size_t length, const struct trial_type *const types[], struct plan *plan, char *error,
                size_t error_size)
{
    struct parser parser = {.line = 1, .error = error, .error_size = error_size};
    char *line = malloc(LINE_LIMIT + 1);
    bool ended = false, good = line || plan_refuse(&parser, "no memory");
    *plan = (struct plan){0};
    for (size_t at = 0; good && at < length; parser.line++) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t size = newline ? (size_t)(newline - text) - at : length - at;
        if (!newline)
            good = plan_refuse(&parser, "does not end with a newline: the plan was cut off");
        else if (size > LINE_LIMIT || memchr(text + at, '\0', size))
            good = plan_refuse(&parser, "is longer than 65536 bytes, or has a NUL byte");
        if (!good)
            break;
        memcpy(line, text + at, size);
        line[size] = '\0';
        good = parse_line(&parser, line, types, plan, &ended);
        at += size + 1;
    }
    free(line);
    return good && (ended || plan_refuse(&parser, "end: is missing, the plan was cut off"));
}

void plan_free(struct plan *plan)
{
    fields_free(plan_fields, plan);
    for (size_t i = 0; i < plan->target_count; i++)
        fields_free(target_fields, &plan->targets[i]);
    for (size_t i = 0; i < plan->count; i++)
        fields_free(plan->type->fields, plan_trial(plan, i));
    free(plan->trials);
    *plan = (struct plan){0};
}
