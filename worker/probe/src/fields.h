/* The fields of a plan's record: `key=value`, separated by single spaces, values percent-encoded,
 * checked against tables. An unknown, missing, repeated or out-of-range field is rejected with
 * one line that names the field, its value and the remedy. */
#ifndef ASSAY_FIELDS_H
#define ASSAY_FIELDS_H

#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type { FIELD_NUMBER, FIELD_WORD, FIELD_STRING };

/* A number and a word are a uint64_t of the record (a word's is its index); a string is a char *. */
struct field {
    const char *name; /* NULL ends a table */
    size_t offset;    /* in the record */
    enum field_type type;
    bool required;
    bool secret; /* of a string: no message shows its value */
    const char *const *words; /* ended by NULL */
    uint64_t least, most;     /* of a number; `most` of a string is its length in bytes */
    uint64_t fallback;        /* default of a number or word */
};

#define NUMBER(record, member, low, high) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_NUMBER, .required = true, .least = low, .most = high}
#define OPTIONAL_NUMBER(record, member, low, high, otherwise) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_NUMBER, .least = low, .most = high, \
     .fallback = otherwise}
#define WORD(record, member, list) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_WORD, .required = true, .words = list}
#define OPTIONAL_WORD(record, member, list) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_WORD, .words = list}
#define STRING(record, member, needed, length) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_STRING, .required = needed, .most = length}

#define SECRET(record, member, length) \
    {.name = #member, .offset = offsetof(record, member), .type = FIELD_STRING, .secret = true, .most = length}

/* The position in a plan, and the destination of its error message. */
struct parser {
    size_t line;
    char *error;
    size_t error_size;
};

/* Reports the error of the current line in one sanitized line. Returns false. */
bool plan_refuse(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills the record from `rest` by the tables, a list ended by NULL; `rest` is overwritten. All
 * tables together have at most 64 fields. */
bool fields_parse(struct parser *parser, char *rest, const struct field *const tables[], void *record);

/* Writes the record's numbers and words as JSON fields. */
void fields_write(struct text *text, const struct field *table, const void *record);

/* Frees the record's strings. */
/* Checks that a length or a duration ends a trial, and not both, and that a ramp-up is shorter. */
bool plan_check_end(struct parser *parser, uint64_t length_bytes, uint64_t duration_ms, uint64_t ramp_ms);

void fields_free(const struct field *table, void *record);

#endif
