#include "sustained/readback.h"

#include "clock.h"
#include "sustained/stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (4ull << 20)

struct reading {
    struct attempt *attempt;
    const struct pattern *pattern;
    struct verified *verified;
};

/* Notes why reading ends early; a call that a stop interrupted is no error. */
static bool end_early(struct reading *reading, int error)
{
    if (error != EINTR)
        snprintf(reading->verified->why, sizeof reading->verified->why, "%s", strerror(error));
    return false;
}

/* Blocks of a stream's files: of a ring, at most those that fit in it. */
static uint64_t blocks_left(const struct stream *stream, uint64_t written)
{
    if (sustained_random(stream->files.trial))
        return stream->access.blocks; /* also those that the trial did not visit */
    return streamfiles_footprint(&stream->files, written * stream->blocks.size) / stream->blocks.size;
}

/* The block of the stream's data that is at a place of its files: what was written there last. */
static uint64_t block_at(uint64_t place, uint64_t written, uint64_t left)
{
    return place + (written - 1 - place) / left * left;
}

/* Verifies neighboring blocks of one generation; with random access, each block by its own. */
static void verify_data(const struct reading *reading, const struct stream *stream, uint64_t data_at, const char *data,
                        uint64_t bytes, struct verification *found)
{
    const uint64_t size = stream->blocks.size;
    if (!sustained_random(stream->files.trial)) {
        testdata_verify(reading->pattern, &stream->data.content, data_at, data, bytes, found);
        return;
    }
    for (uint64_t at = 0; at < bytes; at += size) {
        const struct content content = access_content(&stream->access, stream->turns, data_at + at);
        testdata_verify(reading->pattern, &content, data_at + at, data + at, size, found);
    }
}

/* Reads and verifies neighboring blocks of one generation. */
static bool verify_blocks(struct reading *reading, const struct stream *stream, int file, uint64_t at, uint64_t data_at,
                          uint64_t bytes)
{
    struct workspace *workspace = reading->attempt->workspace;
    struct verified *verified = reading->verified;
    struct verification found = {0};
    char *data = buffers_scratch(&workspace->buffers, bytes);
    if (!data)
        return end_early(reading, ENOMEM);
    for (uint64_t done = 0; done < bytes;) {
        if (!errand_calls(&workspace->errand, "pread"))
            return false;
        const uint64_t began = clock_mono();
        const ssize_t got = pread(file, data + done, bytes - done, (off_t)(at + done));
        verified->ns += clock_mono() - began;
        if (got < 0 && errno != EINTR)
            return end_early(reading, errno);
        if (got == 0) {
            snprintf(verified->why, sizeof verified->why, "a file is shorter than what was written to it");
            return false;
        }
        done += got > 0 ? (uint64_t)got : 0;
    }
    verify_data(reading, stream, data_at, data, bytes, &found);
    if (verification_errors(&found) > 0 && verification_errors(&verified->found) == 0)
        verified->first_stream = stream->number;
    verification_add(&verified->found, &found);
    verified->bytes += bytes;
    atomic_fetch_add(&workspace->errand.bytes, bytes);
    return true;
}

/* Reads a file's blocks [from, until), as places in the stream's files. */
static bool verify_file(struct reading *reading, const struct stream *stream, int file, uint64_t from, uint64_t until,
                        uint64_t written, uint64_t left)
{
    const uint64_t size = stream->blocks.size, most = READ_BYTES > size ? READ_BYTES / size : 1, newest = written % left;
    for (uint64_t place = from; place < until;) {
        uint64_t end = until - place < most ? until : place + most;
        if (place < newest && newest < end)
            end = newest; /* the rest is of the generation before */
        if (!verify_blocks(reading, stream, file, (place - from) * size, block_at(place, written, left) * size,
                           (end - place) * size))
            return false;
        place = end;
    }
    return true;
}

static bool verify_stream(struct reading *reading, struct stream *stream)
{
    const uint64_t written = stream->written;
    const uint64_t left = blocks_left(stream, written), size = stream->blocks.size;
    const uint64_t in_file = stream->files.trial->file_bytes ? stream->files.trial->file_bytes / size : left;
    for (uint64_t from = 0, number = 0; from < left; from += in_file, number++) {
        if (!errand_calls(&reading->attempt->workspace->errand, "open"))
            return false;
        const int file = streamfiles_open_again(&stream->files, number);
        if (file < 0)
            return end_early(reading, errno);
        const uint64_t until = left - from < in_file ? left : from + in_file;
        bool good = residency_drop(file) || end_early(reading, errno);
        if (good)
            residency_count(file, (until - from) * size, &reading->verified->resident_checked, &reading->verified->resident_pages);
        good = good && verify_file(reading, stream, file, from, until, written, left);
        close(file);
        if (!good)
            return false;
    }
    return true;
}

static bool verify_all(void *argument)
{
    struct reading *reading = argument;
    struct work *own = reading->attempt->own;
    uint64_t total = 0;
    for (uint64_t i = 0; i < own->count; i++)
        total += blocks_left(&own->streams[i], own->streams[i].written) * own->streams[i].blocks.size;
    errand_does(&reading->attempt->workspace->errand, "verifying", total);
    for (uint64_t i = 0; i < own->count; i++) {
        if (own->streams[i].written > 0 && !verify_stream(reading, &own->streams[i]))
            return false;
    }
    return true;
}

void readback_count(struct attempt *attempt)
{
    struct work *own = attempt->own;
    for (uint64_t i = 0; i < own->count; i++) {
        struct stream *stream = &own->streams[i];
        stream->written = stream->moved / stream->blocks.size;
        if (stream->written > 0 && sustained_random(stream->files.trial))
            stream->written = stream->access.blocks; /* its place is that of its data */
    }
}

bool readback_verify(struct attempt *attempt, const struct pattern *pattern, struct verified *verified)
{
    struct reading reading = {.attempt = attempt, .pattern = pattern, .verified = verified};
    return verify_all(&reading);
}

void readback_time(struct attempt *attempt, struct verified *verified)
{
    if (atomic_load(&attempt->workspace->errand.stood_still_ns) > 0)
        verified->ns = 0; /* a read may have lasted as long as the suspension */
}

static void add_fields(struct text *line, const struct verified *verified)
{
    const uint64_t errors = verification_errors(&verified->found);
    json_bool(line, "whole", verified->whole);
    json_string(line, "error", verified->why[0] ? verified->why : NULL);
    json_bool(line, "elsewhere", verified->elsewhere);
    json_uint(line, "bytes", verified->bytes);
    json_uint(line, "ns", verified->ns);
    json_uint(line, "resident_checked", verified->resident_checked);
    json_uint(line, "resident_pages", verified->resident_pages);
    json_uint(line, "errors", errors);
    json_known(line, "first_offset_bytes", errors ? (int64_t)verified->found.first : -1);
    json_known(line, "first_stream", errors ? (int64_t)verified->first_stream : -1);
}

void readback_tell(struct attempt *attempt, const struct verified *verified)
{
    struct spool *spool = attempt->workspace->spool;
    attempt->reads_back = true;
    attempt->told_errors = 0; /* those of the trial's own reads are others */
    attempt_tell_errors(attempt, &verified->found, true);
    struct text *line = attempt_event(attempt, "readback");
    add_fields(line, verified);
    event_end(spool);
    spool_sync(spool);
}

void readback_run(struct attempt *attempt, const struct pattern *pattern, struct verified *verified)
{
    struct reading reading = {.attempt = attempt, .pattern = pattern, .verified = verified};
    readback_count(attempt);
    verified->whole = errand_run(&attempt->workspace->errand, ERRAND_PREPARING, 0, verify_all, &reading);
    readback_time(attempt, verified);
    readback_tell(attempt, verified);
}

void readback_field(struct text *line, const struct verified *verified)
{
    if (!verified->due) {
        json_null(line, "read_back");
        return;
    }
    json_open(line, "read_back", '{');
    add_fields(line, verified);
    json_close(line, '}');
}
