#include "fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool plan_refuse(struct parser *parser, const char *format, ...)
{
    int used = snprintf(parser->error, parser->error_size, "line %zu: ", parser->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error + used, parser->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    for (char *c = parser->error; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?'; /* the quoted text may be anything; the message remains one sanitized line */
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

static bool refuse_word(struct parser *parser, const struct field *field, const char *value)
{
    char words[128] = "";
    for (size_t i = 0; field->words[i]; i++) {
        strncat(words, i ? ", " : "", sizeof words - strlen(words) - 1);
        strncat(words, field->words[i], sizeof words - strlen(words) - 1);
    }
    return plan_refuse(parser, "%s=%.80s: must be one of %s", field->name, value, words);
}

/* A value as a message shows it. */
static const char *shown(const struct field *field, const char *value)
{
    return field->secret ? "(secret)" : value;
}

static bool set_string(struct parser *parser, const struct field *field, char **place, const char *value)
{
    if (!*value)
        return plan_refuse(parser, "%s=: is empty; give a value or, if it is optional, omit it", field->name);
    if (strlen(value) > field->most)
        return plan_refuse(parser, "%s=%.80s: is longer than %" PRIu64 " bytes; shorten it", field->name, shown(field, value),
                           field->most);
    *place = strdup(value);
    return *place || plan_refuse(parser, "%s: no memory", field->name);
}

static bool set_field(struct parser *parser, const struct field *field, void *record, char *value)
{
    char *place = (char *)record + field->offset;
    uint64_t *number = (uint64_t *)place;
    switch (field->type) {
    case FIELD_STRING:
        return set_string(parser, field, (char **)place, value);
    case FIELD_WORD:
        for (*number = 0; field->words[*number]; ++*number)
            if (strcmp(field->words[*number], value) == 0)
                return true;
        return refuse_word(parser, field, value);
    case FIELD_NUMBER:
        break;
    }
    if (!parse_number(value, number))
        return plan_refuse(parser, "%s=%.80s: is not a whole number of at most 19 digits", field->name, value);
    if (*number < field->least || *number > field->most)
        return plan_refuse(parser, "%s=%.80s: must be from %" PRIu64 " to %" PRIu64, field->name, value, field->least,
                           field->most);
    return true;
}

/* The field of that name, and its number through all tables; NULL for none. */
static const struct field *find_field(const struct field *const tables[], const char *name, size_t *number)
{
    *number = 0;
    for (size_t table = 0; tables[table]; table++)
        for (const struct field *field = tables[table]; field->name; field++, ++*number)
            if (strcmp(field->name, name) == 0)
                return field;
    return NULL;
}

static bool parse_field(struct parser *parser, char *word, const struct field *const tables[], void *record, uint64_t *seen)
{
    size_t number;
    char *value = strchr(word, '=');
    if (!value)
        return plan_refuse(parser, "\"%.80s\": is not key=value; separate fields by single spaces", word);
    *value++ = '\0';
    const struct field *field = find_field(tables, word, &number);
    if (!field)
        return plan_refuse(parser, "%.80s=%.80s: is not a field of this record in contract 2; omit it", word, value);
    if (*seen & (1ull << number))
        return plan_refuse(parser, "%s=%.80s: is given twice; give it once", word, shown(field, value));
    *seen |= 1ull << number;
    if (!percent_decode(value))
        return plan_refuse(parser,
                           "%s=%.80s: is not percent-encoded (%%XX for %%, space, control and non-ASCII bytes; no %%00)",
                           word, shown(field, value));
    return set_field(parser, field, record, value);
}

bool fields_parse(struct parser *parser, char *rest, const struct field *const tables[], void *record)
{
    uint64_t seen = 0;
    size_t number = 0;
    while (rest)
        if (!parse_field(parser, strsep(&rest, " "), tables, record, &seen))
            return false;
    for (size_t table = 0; tables[table]; table++)
        for (const struct field *field = tables[table]; field->name; field++, number++) {
            if (seen & (1ull << number))
                continue;
            if (field->required)
                return plan_refuse(parser, "%s: is missing", field->name);
            if (field->type != FIELD_STRING)
                *(uint64_t *)((char *)record + field->offset) = field->fallback;
        }
    return true;
}

void fields_write(struct text *text, const struct field *table, const void *record)
{
    for (const struct field *field = table; field->name; field++) {
        uint64_t number = *(const uint64_t *)((const char *)record + field->offset);
        if (field->type == FIELD_NUMBER)
            json_uint(text, field->name, number);
        else if (field->type == FIELD_WORD)
            json_string(text, field->name, field->words[number]);
    }
}

void fields_free(const struct field *table, void *record)
{
    for (const struct field *field = table; field->name; field++)
        if (field->type == FIELD_STRING)
            free(*(char **)((char *)record + field->offset));
}

bool plan_check_end(struct parser *parser, uint64_t length_bytes, uint64_t duration_ms, uint64_t ramp_ms)
{
    if ((length_bytes == 0) == (duration_ms == 0))
        return plan_refuse(parser,
                           "length_bytes=%" PRIu64 " and duration_ms=%" PRIu64 ": one of them ends the trial; set the other to 0",
                           length_bytes, duration_ms);
    if (duration_ms && ramp_ms >= duration_ms)
        return plan_refuse(parser, "ramp_ms=%" PRIu64 " is not shorter than duration_ms=%" PRIu64 "; make it shorter",
                           ramp_ms, duration_ms);
    return true;
}
