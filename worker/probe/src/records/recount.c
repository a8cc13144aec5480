#include "records/recount.h"

#include "clock.h"
#include "records/sink.h"
#include "residency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES (4ull << 20)
#define SHOWN_GAPS 16

static bool end_early(struct recount *recount, const char *why)
{
    snprintf(recount->why, sizeof recount->why, "%s", why);
    return false;
}

/* Bytes of zeros at the beginning of `data`. */
static uint64_t zeros(const char *data, uint64_t bytes)
{
    uint64_t found = 0;
    while (found < bytes && data[found] == '\0')
        found++;
    return found;
}

/* The records of raw data, which begins with one; returns the bytes used. */
static uint64_t count_raw(struct recount *recount, const char *data, uint64_t bytes)
{
    const uint64_t record = recount->recipe->bytes, senders = recount->trial->link.senders;
    uint64_t done = 0;
    while (bytes - done >= record) {
        done += record * ledgers_read(recount->ledgers, senders, data + done, (bytes - done) / record, &recount->wrong, &recount->torn);
        if (bytes - done < record)
            break;
        const uint64_t blank = zeros(data + done, bytes - done) / record * record; /* it stopped at one */
        recount->blank_bytes += blank;
        done += blank;
    }
    return done;
}

/* The value of a hexadecimal digit; 16 or more if it is none. */
static unsigned hex(char digit)
{
    return digit >= '0' && digit <= '9' ? (unsigned)(digit - '0') : digit >= 'a' && digit <= 'f' ? (unsigned)(digit - 'a' + 10) : 16;
}

/* The byte that an escape means, of which `text` is what follows the backslash; -1 if it is none.
 * `used` is its length. */
static int unescape(const char *text, const char *end, int *used)
{
    *used = 1;
    if (text < end && (*text == '"' || *text == '\\'))
        return *text;
    *used = 5;
    if (end - text < 5 || memcmp(text, "u00", 3) != 0 || hex(text[3]) > 15 || hex(text[4]) > 15)
        return -1;
    return (int)(hex(text[3]) << 4 | hex(text[4]));
}

/* What a line has before its sender, and before its record. */
#define BEFORE_SENDER "{\"sender\":"
#define BEFORE_RECORD ",\"record\":\""

/* Skips a word at the beginning of `*from`; false if something else is there. */
static bool skip(const char **from, const char *end, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(end - *from) < length || memcmp(*from, word, length) != 0)
        return false;
    *from += length;
    return true;
}

/* Fills the record of a line without its newline; false if the line has another form. */
static bool parse_line(const struct recount *recount, const char *line, uint64_t bytes, uint64_t *sender, char *record)
{
    const struct recipe *recipe = recount->recipe;
    const uint64_t wanted = recipe->bytes - recipe->line;
    uint64_t filled = 0;
    int used;
    if (bytes < 2 || memcmp(line + bytes - 2, "\"}", 2) != 0)
        return false;
    const char *from = line, *end = line + bytes - 2;
    if (!skip(&from, end, BEFORE_SENDER))
        return false;
    for (*sender = 0; from < end && *from >= '0' && *from <= '9' && *sender < LINK_SENDERS_MOST; from++)
        *sender = *sender * 10 + (uint64_t)(*from - '0');
    if (!skip(&from, end, BEFORE_RECORD))
        return false;
    if ((uint64_t)(end - from) == wanted && !memchr(from, '\\', wanted)) {
        memcpy(record, from, wanted);
        from += wanted;
        filled = wanted;
    }
    for (; from < end && filled < wanted; filled++) {
        int byte = (unsigned char)*from++;
        if (byte == '\\') {
            byte = unescape(from, end, &used);
            from += used;
        }
        if (byte < 0)
            return false;
        record[filled] = (char)byte;
    }
    record[filled] = '\n';
    return from == end && filled == wanted;
}

/* The lines that are whole; returns the bytes used. `record` is memory of one. */
static uint64_t count_lines(struct recount *recount, const char *data, uint64_t bytes, char *record)
{
    uint64_t done = 0, sender;
    while (done < bytes) {
        const uint64_t blank = zeros(data + done, bytes - done);
        recount->blank_bytes += blank;
        done += blank;
        const char *line = data + done, *newline = memchr(line, '\n', bytes - done);
        const char *torn = memchr(line, '\0', newline ? (size_t)(newline - line) : bytes - done);
        if (torn) { /* of this line only the beginning was written */
            recount->torn++;
            done += (uint64_t)(torn - line);
            continue;
        }
        if (!newline)
            break;
        if (parse_line(recount, line, (uint64_t)(newline - line), &sender, record) && sender < recount->trial->link.senders &&
            (recount->recipe->bytes == 1 || sender == record_sender(recount->recipe, record)))
            ledgers_read(recount->ledgers, recount->trial->link.senders, record, 1, &recount->wrong, &recount->torn);
        else
            recount->wrong++;
        done += (uint64_t)(newline - line) + 1;
    }
    return done;
}

/* Reads as much as there is memory for; false at a stop or after a failure. */
static bool read_more(struct recount *recount, struct workspace *workspace, char *to, uint64_t wanted, uint64_t *got)
{
    *got = 0;
    while (*got < wanted) {
        if (!errand_calls(&workspace->errand, "pread"))
            return false;
        if (clock_mono() >= recount->deadline_ns)
            return end_early(recount, "the time limit of recount_ms was reached");
        const uint64_t began = clock_mono();
        const ssize_t moved = pread(recount->file, to + *got, wanted - *got, (off_t)(recount->bytes + *got));
        recount->ns += clock_mono() - began;
        if (moved < 0 && errno != EINTR)
            return end_early(recount, strerror(errno));
        if (moved == 0)
            return true;
        *got += moved > 0 ? (uint64_t)moved : 0;
        atomic_fetch_add(&workspace->errand.bytes, moved > 0 ? (uint64_t)moved : 0);
    }
    return true;
}

static bool read_file(struct recount *recount, struct workspace *workspace, char *memory, uint64_t room, char *record)
{
    const bool raw = recount->trial->format == RECORDS_FORMAT_RAW;
    for (uint64_t kept = 0;;) {
        uint64_t got;
        if (!read_more(recount, workspace, memory + kept, room - kept, &got))
            return false;
        recount->bytes += got;
        const uint64_t all = kept + got;
        const uint64_t used = raw ? count_raw(recount, memory, all) : count_lines(recount, memory, all, record);
        kept = all - used;
        if (got == 0) {
            recount->torn += zeros(memory, kept) < kept; /* the end of the file is within a record */
            return true;
        }
        memmove(memory, memory + used, kept);
        if (kept == room) { /* it is no line of this trial */
            recount->wrong++;
            kept = 0;
        }
    }
}

static bool count_file(struct recount *recount, struct workspace *workspace)
{
    const uint64_t most = recount->recipe->bytes > json_line_most(recount->recipe) ? recount->recipe->bytes
                                                                                   : json_line_most(recount->recipe);
    const uint64_t room = READ_BYTES + most;
    struct stat found;
    if (fstat(recount->file, &found) != 0)
        return end_early(recount, strerror(errno));
    errand_does(&workspace->errand, "verifying", (uint64_t)found.st_size);
    if (!recount->left && !(errand_calls(&workspace->errand, "fdatasync") && residency_drop(recount->file)))
        return end_early(recount, "its pages could not be dropped from the page cache");
    char *memory = malloc(room + RECORD_SLACK), *record = calloc(1, recount->recipe->bytes + RECORD_SLACK);
    const bool good = memory && record ? read_file(recount, workspace, memory, room, record) : end_early(recount, strerror(ENOMEM));
    free(memory);
    free(record);
    return good;
}

static void sender_field(struct text *line, const struct recount *recount, uint64_t sender)
{
    const struct ledger *ledger = &recount->ledgers[sender];
    const bool known = recount->expected != NULL;
    json_open(line, NULL, '{');
    json_uint(line, "sender", sender);
    json_uint(line, "intact", ledger->intact);
    json_uint(line, "duplicates", ledger->duplicates);
    json_uint(line, "end", ledger->end);
    json_uint(line, "missing", ledger->missing);
    json_open(line, "gaps", '[');
    for (uint64_t i = 0; i < ledger->gap_count && i < SHOWN_GAPS; i++) {
        json_open(line, NULL, '[');
        json_uint(line, NULL, ledger->gaps[i].from);
        json_uint(line, NULL, ledger->gaps[i].until);
        json_close(line, ']');
    }
    json_close(line, ']');
    json_known(line, "expected", known ? (int64_t)recount->expected[sender] : -1);
    json_known(line, "lost", known && recount->whole ? (int64_t)ledger_lost(ledger, recount->expected[sender]) : -1);
    json_close(line, '}');
}

bool recount_run(struct recount *recount, struct workspace *workspace)
{
    recount->deadline_ns = clock_mono() + recount->trial->recount_ms * NS_PER_MS;
    recount->whole = count_file(recount, workspace);
    struct text *line = event_begin(workspace->spool, "recount");
    json_uint(line, "trial", recount->trial->common.position);
    json_uint(line, "attempt", recount->attempt);
    json_bool(line, "left", recount->left);
    json_bool(line, "whole", recount->whole);
    json_string(line, "error", recount->why[0] ? recount->why : NULL);
    json_uint(line, "bytes", recount->bytes);
    json_uint(line, "ns", recount->ns);
    json_uint(line, "wrong", recount->wrong);
    json_uint(line, "torn", recount->torn);
    json_uint(line, "blank_bytes", recount->blank_bytes);
    json_open(line, "senders", '[');
    for (uint64_t sender = 0; sender < recount->trial->link.senders; sender++)
        sender_field(line, recount, sender);
    json_close(line, ']');
    event_end(workspace->spool);
    return recount->whole;
}
