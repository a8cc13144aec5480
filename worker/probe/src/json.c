#include "json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_clear(struct text *text)
{
    text->length = 0;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

static void text_reserve(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity)
        return;
    size_t capacity = (text->length + more + 1) * 2;
    char *data = realloc(text->data, capacity);
    if (!data)
        abort(); /* a few kilobytes; without them, the failure could not be reported either */
    text->data = data;
    text->capacity = capacity;
}

void text_append(struct text *text, const char *data, size_t length)
{
    text_reserve(text, length);
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    text_reserve(text, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

/* The length of the UTF-8 sequence at `s`, or 0 if it is invalid (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if (s[0] >= 0xe0 && s[0] <= 0xef) {
        unsigned char low = s[0] == 0xe0 ? 0xa0 : 0x80, high = s[0] == 0xed ? 0x9f : 0xbf;
        return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 ? 3 : 0;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        unsigned char low = s[0] == 0xf0 ? 0x90 : 0x80, high = s[0] == 0xf4 ? 0x8f : 0xbf;
        return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 ? 4 : 0;
    }
    return 0;
}

static void quote(struct text *text, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;
    text_append(text, "\"", 1);
    while (*s) {
        size_t length = utf8_length(s);
        if (length == 0) {
            text_append(text, "\\ufffd", 6);
            s++;
        } else if (*s == '"' || *s == '\\') {
            text_format(text, "\\%c", *s++);
        } else if (*s < 0x20 || *s == 0x7f) {
            text_format(text, "\\u%04x", *s++);
        } else {
            text_append(text, (const char *)s, length);
            s += length;
        }
    }
    text_append(text, "\"", 1);
}

static void place(struct text *text, const char *name)
{
    if (text->length > 0) {
        char last = text->data[text->length - 1];
        if (last != '{' && last != '[')
            text_append(text, ",", 1);
    }
    if (name)
        text_format(text, "\"%s\":", name);
}

void json_open(struct text *text, const char *name, char bracket)
{
    place(text, name);
    text_append(text, &bracket, 1);
}

void json_close(struct text *text, char bracket)
{
    text_append(text, &bracket, 1);
}

void json_int(struct text *text, const char *name, int64_t value)
{
    place(text, name);
    text_format(text, "%" PRId64, value);
}

void json_uint(struct text *text, const char *name, uint64_t value)
{
    place(text, name);
    text_format(text, "%" PRIu64, value);
}

void json_bool(struct text *text, const char *name, bool value)
{
    place(text, name);
    text_format(text, "%s", value ? "true" : "false");
}

void json_null(struct text *text, const char *name)
{
    place(text, name);
    text_append(text, "null", 4);
}

void json_string(struct text *text, const char *name, const char *value)
{
    place(text, name);
    if (value)
        quote(text, value);
    else
        text_append(text, "null", 4);
}

void json_known(struct text *text, const char *name, int64_t value)
{
    if (value < 0)
        json_null(text, name);
    else
        json_int(text, name, value);
}
