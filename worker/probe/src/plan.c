#include "plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 65536
#define TOTAL_LIMIT (1ull << 62)
#define DAY_MS 86400000ull
#define HANG_MS 600000ull
#define SPOOL_BYTES (4ull << 30)
#define POOL_BYTES (256ull << 10)

const char *const kind_names[] = {"write", "read", NULL};
const char *const layout_names[] = {"fresh", "preallocated", "overwrite", NULL};
const char *const cache_names[] = {"page", "direct", NULL};
const char *const open_names[] = {"rw", "rwd", "rws", NULL};

/* A field is a number within limits, a word of a list, or (for both NULL) a string. */
struct field {
    const char *name;
    size_t offset;
    bool required;
    bool is_string;
    const char *const *words;
    uint64_t least, most;
};

#define NUMBER(type, member, needed, low, high) {#member, offsetof(struct type, member), needed, false, NULL, low, high}
#define WORD(member, list) {#member, offsetof(struct trial, member), true, false, list, 0, 0}
#define STRING(member, needed) {#member, offsetof(struct plan, member), needed, true, NULL, 0, 0}

static const struct field plan_fields[] = {
    STRING(run, true),
    STRING(group, false),
    STRING(target, true),
    STRING(fs_type, false),
    STRING(fs_source, false),
    STRING(fs_uuid, false),
    NUMBER(plan, generation, true, 0, INT64_MAX),
    NUMBER(plan, watch_ms, true, 100, 366 * DAY_MS),
    NUMBER(plan, sample_ms, true, 100, 60000),
    NUMBER(plan, reserve_bytes, true, 0, INT64_MAX),
    NUMBER(plan, max_buffer_bytes, false, 0, INT64_MAX),
    NUMBER(plan, hang_ms, false, 1000, 366 * DAY_MS),
    NUMBER(plan, spool_bytes, false, 65536, INT64_MAX),
    NUMBER(plan, pool_bytes, false, 4096, 4194304),
    NUMBER(plan, read_bytes, false, 0, INT64_MAX),
    NUMBER(plan, read_events, false, 0, INT64_MAX),
    {NULL, 0, false, false, NULL, 0, 0},
};

static const struct field trial_fields[] = {
    NUMBER(trial, id, true, 0, INT64_MAX),
    NUMBER(trial, attempt, true, 1, INT32_MAX),
    WORD(kind, kind_names),
    {"file_size", offsetof(struct trial, file_size_asked), true, false, NULL, 1, TOTAL_LIMIT},
    NUMBER(trial, block, true, 512, 67108864),
    NUMBER(trial, threads, true, 1, 256),
    NUMBER(trial, files, true, 1, 256),
    WORD(layout, layout_names),
    WORD(cache, cache_names),
    WORD(open, open_names),
    NUMBER(trial, timeout_ms, true, 1, 366 * DAY_MS),
    NUMBER(trial, sync_timeout_ms, true, 1, 366 * DAY_MS),
    {NULL, 0, false, false, NULL, 0, 0},
};

struct parser {
    size_t line;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct parser *parser, const char *format, ...)
{
    int used = snprintf(parser->error, parser->error_size, "line %zu: ", parser->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error + used, parser->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    for (char *c = parser->error; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?'; /* what is quoted here may be anything; the message stays one clean line */
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX in place. A byte that should have been encoded, or an encoded NUL, fails. */
static bool percent_decode(char *value)
{
    char *out = value;
    for (const char *in = value; *in; in++) {
        if ((unsigned char)*in <= 0x20 || (unsigned char)*in >= 0x7f)
            return false;
        if (*in != '%') {
            *out++ = *in;
            continue;
        }
        int high = hex_digit(in[1]), low = high < 0 ? -1 : hex_digit(in[2]);
        if (low < 0 || (high == 0 && low == 0))
            return false;
        *out++ = (char)(high * 16 + low);
        in += 2;
    }
    *out = '\0';
    return true;
}

static bool parse_number(const char *value, uint64_t *number)
{
    if (!*value || strlen(value) > 19)
        return false;
    *number = 0;
    for (const char *c = value; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        *number = *number * 10 + (uint64_t)(*c - '0'); /* 19 digits fit */
    }
    return true;
}

static bool list_words(struct parser *parser, const struct field *field, const char *value)
{
    char words[128] = "";
    for (size_t i = 0; field->words[i]; i++) {
        strncat(words, i ? ", " : "", sizeof words - strlen(words) - 1);
        strncat(words, field->words[i], sizeof words - strlen(words) - 1);
    }
    return refuse(parser, "%s=%.80s: must be one of %s", field->name, value, words);
}

static bool set_field(struct parser *parser, const struct field *field, void *record, char *value)
{
    char *place = (char *)record + field->offset;
    if (field->is_string) {
        if (!*value)
            return refuse(parser, "%s=: is empty; give a value or, where it is optional, leave it out", field->name);
        *(char **)place = strdup(value);
        return *(char **)place || refuse(parser, "%s: no memory", field->name);
    }
    uint64_t *number = (uint64_t *)place;
    if (field->words) {
        for (*number = 0; field->words[*number]; ++*number)
            if (strcmp(field->words[*number], value) == 0)
                return true;
        return list_words(parser, field, value);
    }
    if (!parse_number(value, number))
        return refuse(parser, "%s=%.80s: is not a whole number of at most 19 digits", field->name, value);
    if (*number < field->least || *number > field->most)
        return refuse(parser, "%s=%.80s: must be from %" PRIu64 " to %" PRIu64, field->name, value, field->least,
                      field->most);
    return true;
}

static bool parse_fields(struct parser *parser, char *rest, const struct field *fields, void *record)
{
    uint64_t seen = 0;
    while (rest) {
        char *word = strsep(&rest, " ");
        char *value = strchr(word, '=');
        if (!value)
            return refuse(parser, "\"%.80s\": is not key=value; one space stands between fields", word);
        *value++ = '\0';
        size_t i = 0;
        while (fields[i].name && strcmp(fields[i].name, word) != 0)
            i++;
        if (!fields[i].name)
            return refuse(parser, "%.80s: is not a field of this record in contract 1", word);
        if (seen & (1ull << i))
            return refuse(parser, "%s: is given twice", word);
        seen |= 1ull << i;
        if (!percent_decode(value))
            return refuse(parser, "%s=%.80s: is not percent-encoded (%%XX for %%, space, control and non-ASCII bytes; no %%00)",
                          word, value);
        if (!set_field(parser, &fields[i], record, value))
            return false;
    }
    for (size_t i = 0; fields[i].name; i++)
        if (fields[i].required && !(seen & (1ull << i)))
            return refuse(parser, "%s: is missing", fields[i].name);
    return true;
}

static bool check_plan(struct parser *parser, struct plan *plan)
{
    if (plan->target[0] != '/')
        return refuse(parser, "target=%.80s: must be an absolute path", plan->target);
    if (strlen(plan->target) > 3500)
        return refuse(parser, "target: is longer than 3500 bytes");
    if (strlen(plan->run) > 128)
        return refuse(parser, "run: is longer than 128 bytes");
    if (plan->group && strlen(plan->group) > 128)
        return refuse(parser, "group: is longer than 128 bytes");
    if (plan->pool_bytes == 0)
        plan->pool_bytes = POOL_BYTES;
    if (plan->hang_ms == 0)
        plan->hang_ms = HANG_MS;
    if (plan->spool_bytes == 0)
        plan->spool_bytes = SPOOL_BYTES;
    return true;
}

static bool check_trial(struct parser *parser, const struct plan *plan, struct trial *trial)
{
    if (trial->files > trial->threads)
        trial->files = trial->threads;
    trial->file_size = (trial->file_size_asked + trial->block - 1) / trial->block * trial->block;
    if (trial->file_size > TOTAL_LIMIT / trial->files)
        return refuse(parser, "file_size=%" PRIu64 ": with files=%" PRIu64 " is more than 2^62 bytes; make it smaller",
                      trial->file_size_asked, trial->files);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->trials[i].id == trial->id)
            return refuse(parser, "id=%" PRIu64 ": is given twice", trial->id);
    return true;
}

static bool parse_trial(struct parser *parser, char *rest, struct plan *plan)
{
    struct trial trial = {0};
    if (!parse_fields(parser, rest, trial_fields, &trial) || !check_trial(parser, plan, &trial))
        return false;
    if ((plan->count & (plan->count - 1)) == 0) { /* grows at 0, 1, 2, 4, 8 … */
        struct trial *trials = realloc(plan->trials, (plan->count ? plan->count * 2 : 1) * sizeof *trials);
        if (!trials)
            return refuse(parser, "no memory");
        plan->trials = trials;
    }
    plan->trials[plan->count++] = trial;
    return true;
}

static bool parse_version(struct parser *parser, char **rest)
{
    char *version = *rest ? strsep(rest, " ") : NULL;
    if (!version || strcmp(version, "v=1") != 0)
        return refuse(parser, "%.80s: the plan's first field must be v=1, the contract of this probe", version ? version : "");
    return true;
}

static bool parse_line(struct parser *parser, char *line, struct plan *plan, bool *ended)
{
    char *rest = line;
    char *record = strsep(&rest, " ");
    if (*ended)
        return refuse(parser, "something follows end");
    if (strcmp(record, "plan") == 0 && !plan->run)
        return parse_version(parser, &rest) && parse_fields(parser, rest, plan_fields, plan) && check_plan(parser, plan);
    if (strcmp(record, "trial") == 0 && plan->run)
        return parse_trial(parser, rest, plan);
    if (strcmp(record, "end") == 0 && !rest && plan->count > 0) {
        *ended = true;
        return true;
    }
    return refuse(parser, "\"%.80s\": expected %s", record, plan->run ? "trial, or end after the last trial" : "plan v=1");
}

bool plan_parse(const char *text, size_t length, struct plan *plan, char *error, size_t error_size)
{
    struct parser parser = {.line = 1, .error = error, .error_size = error_size};
    char *line = malloc(LINE_LIMIT + 1);
    bool ended = false, good = line || refuse(&parser, "no memory");
    *plan = (struct plan){0};
    for (size_t at = 0; good && at < length; parser.line++) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t size = newline ? (size_t)(newline - text) - at : length - at;
        if (!newline)
            good = refuse(&parser, "does not end with a newline: the plan was cut off");
        else if (size > LINE_LIMIT || memchr(text + at, '\0', size))
            good = refuse(&parser, "is longer than 65536 bytes, or has a NUL byte");
        if (!good)
            break;
        memcpy(line, text + at, size);
        line[size] = '\0';
        good = parse_line(&parser, line, plan, &ended);
        at += size + 1;
    }
    free(line);
    return good && (ended || refuse(&parser, "end: is missing, the plan was cut off"));
}

void plan_free(struct plan *plan)
{
    free(plan->run);
    free(plan->group);
    free(plan->target);
    free(plan->fs_type);
    free(plan->fs_source);
    free(plan->fs_uuid);
    free(plan->trials);
    *plan = (struct plan){0};
}
