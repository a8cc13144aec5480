#include "sustained/manifest.h"

#include "sustained/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY INT64_MAX

static const struct field of_files[] = {
    NUMBER(struct manifest, v, 1, 1),
    NUMBER(struct manifest, run, 0, ANY),
    NUMBER(struct manifest, seed, 0, ANY),
    NUMBER(struct manifest, pool_bytes, 4096, 4194304),
    STRING(struct manifest, workdir, true, 63),
    NUMBER(struct manifest, position, 0, INT32_MAX),
    WORD(struct manifest, layout, sustained_layouts),
    NUMBER(struct manifest, block, 512, 64 << 20),
    NUMBER(struct manifest, file_bytes, 0, ANY),
    NUMBER(struct manifest, files, 0, SUSTAINED_FILES_MOST),
    WORD(struct manifest, cache, sustained_caches),
    {.name = NULL},
};

static const struct field of_stream[] = {
    NUMBER(struct manifest_stream, file, 0, UINT32_MAX),
    NUMBER(struct manifest_stream, pass, 0, UINT32_MAX),
    NUMBER(struct manifest_stream, first_key, 0, ANY),
    NUMBER(struct manifest_stream, written, 0, ANY),
    {.name = NULL},
};

struct report {
    uint64_t whole, bytes, ns, resident_checked, resident_pages;
    uint64_t corrupt, stale, misplaced, first, first_stream;
    char *why;
};

#define OPTIONAL(member) OPTIONAL_NUMBER(struct report, member, 0, ANY, 0)

static const struct field of_report[] = {
    OPTIONAL_NUMBER(struct report, whole, 0, 1, 0),
    OPTIONAL(bytes),
    OPTIONAL(ns),
    OPTIONAL(resident_checked),
    OPTIONAL(resident_pages),
    OPTIONAL(corrupt),
    OPTIONAL(stale),
    OPTIONAL(misplaced),
    OPTIONAL(first),
    OPTIONAL(first_stream),
    STRING(struct report, why, false, VERIFIED_WHY - 1),
    {.name = NULL},
};

void manifest_write(struct text *text, const struct attempt *attempt, const struct pattern *pattern)
{
    const struct sustained_trial *trial = sustained_trial(attempt->trial);
    const struct work *own = attempt->own;
    text_format(text,
                "files v=1 run=%" PRIu64 " seed=%" PRIu64 " pool_bytes=%" PRIu64 " workdir=%s position=%" PRIu64
                " layout=%s block=%" PRIu64 " file_bytes=%" PRIu64 " files=%" PRIu64 " cache=%s\n",
                own->streams[0].data.content.run, pattern->seed, pattern->sectors * SECTOR, attempt->workspace->workdir.name,
                trial->common.position, sustained_layouts[trial->layout], trial->block, trial->file_bytes, trial->files,
                sustained_caches[trial->cache]);
    for (uint64_t i = 0; i < own->count; i++) {
        const struct content *content = &own->streams[i].data.content;
        text_format(text, "stream file=%" PRIu32 " pass=%" PRIu32 " first_key=%" PRIu64 " written=%" PRIu64 "\n", content->file,
                    content->pass, content->first_key, own->streams[i].written);
    }
    text_format(text, "end\n");
}

/* Parses a line that begins with `word`. */
static bool parse_line(struct parser *parser, char *line, const char *word, const struct field *table, void *record)
{
    const struct field *const tables[] = {table, NULL};
    const size_t length = strlen(word);
    parser->line++;
    if (!line || strncmp(line, word, length) != 0 || line[length] != ' ')
        return plan_refuse(parser, "is not a record \"%s\"; send the manifest as the event has it", word);
    return fields_parse(parser, line + length + 1, tables, record);
}

static bool check(struct parser *parser, const struct manifest *manifest)
{
    const bool single = manifest->layout == SUSTAINED_LAYOUT_ONE, ring = manifest->layout == SUSTAINED_LAYOUT_RING;
    if (strchr(manifest->workdir, '/') || strcmp(manifest->workdir, ".") == 0 || strcmp(manifest->workdir, "..") == 0)
        return plan_refuse(parser, "workdir=%s: is not the name of a directory", manifest->workdir);
    if (single ? manifest->file_bytes : !manifest->file_bytes || manifest->file_bytes % manifest->block)
        return plan_refuse(parser, "file_bytes=%" PRIu64 ": does not suit the layout and the block", manifest->file_bytes);
    if (ring != (manifest->files > 0))
        return plan_refuse(parser, "files=%" PRIu64 ": only a ring has a number of files", manifest->files);
    return true;
}

static bool parse_streams(struct parser *parser, char *rest, struct manifest *manifest)
{
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strcmp(line, "end") == 0)
            return manifest->count > 0 || plan_refuse(parser, "the manifest has no stream");
        if (manifest->count == SUSTAINED_STREAMS_MOST)
            return plan_refuse(parser, "the manifest has more than %d streams", SUSTAINED_STREAMS_MOST);
        struct manifest_stream *stream = &manifest->streams[manifest->count];
        if (!parse_line(parser, line, "stream", of_stream, stream))
            return false;
        if (stream->written > LENGTH_MOST / manifest->block)
            return plan_refuse(parser, "written=%" PRIu64 ": is too many blocks", stream->written);
        manifest->count++;
    }
    return plan_refuse(parser, "the manifest has no \"end\"");
}

bool manifest_parse(char *text, struct manifest *manifest, char *error, size_t error_size)
{
    struct parser parser = {.error = error, .error_size = error_size};
    *manifest = (struct manifest){0};
    char *rest = text;
    return parse_line(&parser, strsep(&rest, "\n"), "files", of_files, manifest) && check(&parser, manifest) &&
           parse_streams(&parser, rest, manifest);
}

void manifest_free(struct manifest *manifest)
{
    fields_free(of_files, manifest);
}

/* Encodes what a value must not contain. */
static void append_encoded(struct text *text, const char *value)
{
    for (const char *c = value; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || *c == '%')
            text_format(text, "%%%02X", (unsigned char)*c);
        else
            text_append(text, c, 1);
}

void report_write(struct text *text, const struct verified *verified)
{
    const struct verification *found = &verified->found;
    text_format(text,
                "report whole=%d bytes=%" PRIu64 " ns=%" PRIu64 " resident_checked=%" PRIu64 " resident_pages=%" PRIu64
                " corrupt=%" PRIu64 " stale=%" PRIu64 " misplaced=%" PRIu64 " first=%" PRIu64 " first_stream=%" PRIu64,
                verified->whole, verified->bytes, verified->ns, verified->resident_checked, verified->resident_pages,
                found->corrupt, found->stale, found->misplaced, found->first, verified->first_stream);
    if (!verified->why[0])
        return;
    text_format(text, " why=");
    append_encoded(text, verified->why);
}

bool report_parse(char *text, struct verified *verified, char *error, size_t error_size)
{
    struct parser parser = {.error = error, .error_size = error_size};
    struct report report = {0};
    text[strcspn(text, "\n")] = '\0';
    const bool good = parse_line(&parser, text, "report", of_report, &report);
    if (good) {
        verified->whole = report.whole;
        verified->bytes = report.bytes;
        verified->ns = report.ns;
        verified->resident_checked = report.resident_checked;
        verified->resident_pages = report.resident_pages;
        verified->found = (struct verification){report.corrupt, report.stale, report.misplaced, report.first};
        verified->first_stream = report.first_stream;
        snprintf(verified->why, sizeof verified->why, "%s", report.why ? report.why : "");
    }
    fields_free(of_report, &report);
    return good;
}
