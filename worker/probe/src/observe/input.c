#include "observe/input.h"

#include "clock.h"
#include "mix.h"
#include "prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PREFIX "file-"
#define DIGITS 9           /* of a record's number */
#define WORD_CHARS 10      /* of six bits each, from a word of random data */
#define RECORD_BLOCK (4ull << 20)
#define ATTEMPTS_APART 64 /* attempts of a trial; each has passes and keys of its own */
#define KEYS_APART 40      /* bits */

uint64_t input_seed(const char *token)
{
    uint64_t seed = 0;
    for (const char *c = token; *c; c++)
        seed = mix(seed + MIX_STEP + (unsigned char)*c);
    return seed;
}

static uint64_t pass_of(const struct observe_trial *trial)
{
    return trial->common.position * ATTEMPTS_APART + trial->common.attempt;
}

struct input_data input_of(const struct observe_trial *trial, const struct pattern *pattern, uint64_t seed)
{
    return (struct input_data){.trial = trial, .pattern = pattern, .seed = mix(seed + pass_of(trial) * MIX_STEP)};
}

void input_name(const struct input_data *input, uint64_t file, char name[INPUT_NAME])
{
    if (input->trial->input == INPUT_RECORDS)
        snprintf(name, INPUT_NAME, RECORDS_FILE);
    else
        snprintf(name, INPUT_NAME, FILE_PREFIX "%06" PRIu64, file);
}

bool input_number(const struct input_data *input, const char *name, uint64_t *file)
{
    char expected[INPUT_NAME];
    *file = 0;
    if (input->trial->input == INPUT_FILES) {
        if (strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX)) != 0)
            return false;
        *file = strtoull(name + strlen(FILE_PREFIX), NULL, 10);
        if (*file >= input->trial->files)
            return false;
    }
    input_name(input, *file, expected);
    return strcmp(name, expected) == 0;
}

struct content input_content(const struct input_data *input, uint64_t file)
{
    const uint64_t pass = pass_of(input->trial), keys = pattern_keys(input->pattern, input->trial->file_bytes);
    return (struct content){
        .run = input->seed >> 1, /* 63 bits, as of the stamps of other jobs */
        .file = (uint32_t)file,
        .pass = (uint32_t)pass,
        .first_key = (pass << KEYS_APART) + file * keys,
    };
}

void input_record(const struct input_data *input, uint64_t number, char *record)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const uint64_t length = input->trial->record_bytes - 1;
    uint64_t word = 0, left = number;
    for (int digit = DIGITS - 1; digit >= 0; digit--, left /= 10)
        record[digit] = (char)('0' + left % 10);
    for (uint64_t at = DIGITS; at < length; at++, word >>= 6) {
        const uint64_t place = at - DIGITS;
        if (place % WORD_CHARS == 0)
            word = mix(input->seed + mix(number + 1) + (place / WORD_CHARS) * MIX_STEP);
        record[at] = characters[word & 63];
    }
    record[length] = '\n';
}

static int create(int directory, const char *name, struct attempt *attempt)
{
    const int file = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        fail_errno(&attempt->failure, errno, "a file of the input cannot be created");
    return file;
}

/* Writes the records in blocks; false as the caller. */
static bool write_records(const struct input_data *input, struct attempt *attempt, int file)
{
    struct workspace *workspace = attempt->workspace;
    const uint64_t size = input->trial->record_bytes, most = RECORD_BLOCK / size ? RECORD_BLOCK / size : 1;
    char *block = malloc(most * size);
    bool good = block || fail_errno(&attempt->failure, ENOMEM, "the records cannot be prepared");
    for (uint64_t number = 0; good && number < input->trial->records;) {
        const uint64_t left = input->trial->records - number, count = left < most ? left : most;
        for (uint64_t i = 0; i < count; i++)
            input_record(input, number + i, block + i * size);
        for (uint64_t at = 0; good && at < count * size;) {
            good = limits_space(&workspace->limits, 0, &attempt->failure) && errand_calls(&workspace->errand, "write");
            const ssize_t written = good ? write(file, block + at, count * size - at) : 0;
            if (written < 0 && errno != EINTR)
                good = fail_errno(&attempt->failure, errno, "the records cannot be prepared");
            at += written > 0 ? (uint64_t)written : 0;
            atomic_fetch_add(&workspace->errand.bytes, written > 0 ? (uint64_t)written : 0);
        }
        number += count;
    }
    free(block);
    return good;
}

static bool write_file(const struct input_data *input, struct attempt *attempt, int directory, uint64_t number)
{
    char name[INPUT_NAME];
    input_name(input, number, name);
    const int file = errand_calls(&attempt->workspace->errand, "open") ? create(directory, name, attempt) : -1;
    if (file < 0)
        return false;
    const struct content content = input_content(input, number);
    const bool good = input->trial->input == INPUT_RECORDS
                          ? write_records(input, attempt, file)
                          : prepare_content(attempt->workspace, input->pattern, &content, 0, file, input->trial->file_bytes,
                                            &attempt->failure);
    close(file);
    return good;
}

/* Drops a file, which is synced, from the page cache, and checks that its device must be read. */
static bool drop_file(const struct input_data *input, struct attempt *attempt, int directory, uint64_t number)
{
    char name[INPUT_NAME];
    const struct observe_trial *trial = input->trial;
    input_name(input, number, name);
    if (!errand_calls(&attempt->workspace->errand, "open"))
        return false;
    const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return fail_errno(&attempt->failure, errno, "a file of the input cannot be opened");
    const bool good = prepare_reading(
        attempt, file, trial->input == INPUT_RECORDS ? trial->records * trial->record_bytes : trial->file_bytes);
    close(file);
    return good;
}

bool input_write(const struct input_data *input, struct attempt *attempt, int directory)
{
    struct workspace *workspace = attempt->workspace;
    const uint64_t began = clock_mono(), bytes = input->trial->input_bytes;
    const uint64_t files = input->trial->input == INPUT_RECORDS ? 1 : input->trial->files;
    attempt->findings.unwritten = EXTENTS_NONE;
    prepare_begins(workspace->spool, files, bytes);
    for (uint64_t i = 0; i < files; i++)
        if (!write_file(input, attempt, directory, i))
            return false;
    if (!errand_calls(&workspace->errand, "syncfs"))
        return false;
    if (syncfs(directory) != 0)
        return fail_errno(&attempt->failure, errno, "the input cannot be synced");
    for (uint64_t i = 0; i < files; i++)
        if (!drop_file(input, attempt, directory, i))
            return false;
    prepare_ended(workspace->spool, files, bytes, began);
    return true;
}
