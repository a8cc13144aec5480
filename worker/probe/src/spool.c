#include "spool.h"

#include "clock.h"
#include "columns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct text *event_begin(struct spool *spool, const char *ev)
{
    struct text *line = &spool->line;
    pthread_mutex_lock(&spool->mutex);
    text_clear(line);
    json_open(line, NULL, '{');
    json_int(line, "v", CONTRACT_VERSION);
    json_uint(line, "seq", spool->seq);
    json_uint(line, "t", clock_mono() - spool->started);
    json_string(line, "ev", ev);
    return line;
}

void event_end(struct spool *spool)
{
    json_close(&spool->line, '}');
    text_append(&spool->line, "\n", 1);
    const char *data = spool->line.data;
    size_t left = spool->line.length;
    while (left > 0 && !spool->failed) {
        ssize_t written = write(spool->file, data, left);
        if (written < 0 && errno != EINTR)
            spool->failed = true;
        if (written > 0) {
            data += written;
            left -= (size_t)written;
            spool->bytes += (uint64_t)written;
        }
    }
    spool->seq++;
    pthread_mutex_unlock(&spool->mutex);
}

uint64_t spool_size(const struct spool *spool)
{
    struct stat found;
    return fstat(spool->file, &found) == 0 ? (uint64_t)found.st_size : 0;
}

void spool_sync(const struct spool *spool)
{
    fdatasync(spool->file); /* if it cannot be synced, the next write reports the error */
}

struct text *notice_begin(struct spool *spool, const char *code, const char *message)
{
    struct text *line = event_begin(spool, "notice");
    json_string(line, "code", code);
    json_string(line, "message", message);
    return line;
}

void progress_event(struct spool *spool, const char *doing, const char *call, uint64_t bytes, uint64_t total)
{
    struct text *line = event_begin(spool, "progress");
    json_string(line, "doing", doing);
    json_string(line, "call", call);
    json_uint(line, "bytes", bytes);
    json_uint(line, "total_bytes", total);
    event_end(spool);
}

/* The spool was written by this program, so the order of its fields is known. */
static bool see_attempt(struct spool_state *state, const char *fields, bool is_result)
{
    struct seen_attempt found = {0};
    int at = 0;
    if (sscanf(fields, ",\"trial\":%" SCNu64 ",\"attempt\":%" SCNu64 "%n", &found.trial, &found.attempt, &at) != 2)
        return true;
    if (is_result) {
        char status[16] = "";
        sscanf(fields + at, ",\"status\":\"%15[a-z_]\"", status);
        found.disturbed = strcmp(status, "suspended") == 0 || strcmp(status, "starved") == 0;
        for (size_t i = state->seen_count; i-- > 0;)
            if (state->seen[i].trial == found.trial && state->seen[i].attempt == found.attempt)
                state->seen[i].has_result = true, state->seen[i].disturbed = found.disturbed;
        return true;
    }
    sscanf(fields + at, ",\"done_bytes\":%" SCNu64 ",\"done_ns\":%" SCNu64, &found.done_bytes, &found.done_ns);
    found.begun_ns = found.done_ns;
    if ((state->seen_count & (state->seen_count - 1)) == 0) {
        size_t capacity = state->seen_count ? state->seen_count * 2 : 1;
        struct seen_attempt *seen = realloc(state->seen, capacity * sizeof *seen);
        if (!seen)
            return false;
        state->seen = seen;
    }
    state->seen[state->seen_count++] = found;
    return true;
}

/* Marks follow the `trial` event of their attempt, which is the newest. */
static void see_mark(struct spool_state *state, const char *fields)
{
    uint64_t end_ns, bytes;
    struct seen_attempt *newest = state->seen_count ? &state->seen[state->seen_count - 1] : NULL;
    if (!newest || sscanf(fields, ",\"trial\":%*u,\"attempt\":%*u,\"m\":[%" SCNu64 ",%*u,%" SCNu64, &end_ns, &bytes) != 2)
        return;
    newest->done_bytes += bytes;
    newest->done_ns = newest->begun_ns + end_ns;
}

static bool see_line(struct spool_state *state, const char *line, uint64_t offset)
{
    uint64_t seq, t;
    char ev[16];
    int at = 0;
    state->end_status[0] = '\0';
    if (sscanf(line, "{\"v\":%*d,\"seq\":%" SCNu64 ",\"t\":%" SCNu64 ",\"ev\":\"%15[a-z]\"%n", &seq, &t, ev, &at) != 3)
        return true;
    state->seq = seq + 1;
    if (strcmp(ev, "hello") == 0) {
        state->segments++;
        state->segment_offset = offset;
        sscanf(line + at, ",\"segment\":%*u,\"generation\":%" SCNu64, &state->segment_generation);
    } else if (strcmp(ev, "end") == 0) {
        sscanf(line + at, ",\"status\":\"%15[a-z]\"", state->end_status);
    } else if (strcmp(ev, "trial") == 0 || strcmp(ev, "result") == 0) {
        return see_attempt(state, line + at, ev[0] == 'r');
    } else if (strcmp(ev, "mark") == 0) {
        see_mark(state, line + at);
    }
    return true;
}

bool spool_scan(int dir, struct spool_state *state)
{
    *state = (struct spool_state){0};
    int file = openat(dir, SPOOL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT;
    FILE *stream = fdopen(file, "r");
    if (!stream) {
        close(file);
        return false;
    }
    state->exists = true;
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    ssize_t length;
    while (good && (length = getline(&line, &capacity, stream)) > 0 && line[length - 1] == '\n') {
        good = see_line(state, line, state->whole_bytes);
        state->whole_bytes += (uint64_t)length;
    }
    good = good && !ferror(stream);
    free(line);
    fclose(stream);
    return good;
}

void spool_state_free(struct spool_state *state)
{
    free(state->seen);
    *state = (struct spool_state){0};
}
