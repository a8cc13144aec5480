/* A growing text buffer and functions that write JSON into it. Commas are placed by looking at
 * the previous character, so callers only name fields. Invalid UTF-8 becomes U+FFFD, so the
 * output is always valid JSON. */
#ifndef ASSAY_JSON_H
#define ASSAY_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t length;
    size_t capacity;
};

void text_clear(struct text *text);
void text_free(struct text *text);
void text_append(struct text *text, const char *data, size_t length);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `name` is NULL for elements of an array and for the outermost value. */
void json_open(struct text *text, const char *name, char bracket);
void json_close(struct text *text, char bracket);
void json_int(struct text *text, const char *name, int64_t value);
void json_uint(struct text *text, const char *name, uint64_t value);
void json_bool(struct text *text, const char *name, bool value);
void json_null(struct text *text, const char *name);
/* A NULL string is written as null. */
void json_string(struct text *text, const char *name, const char *value);
/* A negative value means unknown and is written as null. */
void json_known(struct text *text, const char *name, int64_t value);

#endif
