#include "observe/arrival.h"

#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (1ull << 20)

struct check {
    struct arrival *arrival;
    const struct input_data *input;
    struct attempt *attempt;
    uint8_t *arrived; /* a bit for each file or record of the input */
    char *block;      /* BLOCK bytes, and a record that began in the one before */
    char *expected;   /* a record */
    bool stopped;
    int error; /* of reading */
};

static bool take_first(struct check *check, uint64_t number)
{
    const uint8_t bit = (uint8_t)(1u << (number % 8));
    const bool first = !(check->arrived[number / 8] & bit);
    check->arrived[number / 8] |= bit;
    return first;
}

/* The next bytes of a file; 0 at its end, at an error, and at a stop. */
static size_t read_some(struct check *check, int file, char *to, size_t size)
{
    struct errand *errand = &check->attempt->workspace->errand;
    ssize_t got = -1;
    while (!check->stopped && got < 0) {
        check->stopped = !errand_calls(errand, "read");
        got = check->stopped ? 0 : read(file, to, size);
        if (got < 0 && errno != EINTR) {
            check->error = errno;
            return 0;
        }
    }
    atomic_fetch_add(&errand->bytes, (uint64_t)got);
    return (size_t)got;
}

/* Fills the block as far as the file goes: stamps are compared by whole sectors. */
static size_t read_block(struct check *check, int file)
{
    size_t have = 0, got;
    while (have < BLOCK && (got = read_some(check, file, check->block + have, BLOCK - have)) > 0)
        have += got;
    return have;
}

static void check_file(struct check *check, int file, uint64_t number, uint64_t size)
{
    struct arrival *arrival = check->arrival;
    const uint64_t whole = check->input->trial->file_bytes;
    const struct content content = input_content(check->input, number);
    struct verification found = {0};
    uint64_t at = 0;
    for (size_t got; at < whole && (got = read_block(check, file)) > 0; at += got) {
        const uint64_t compared = got < whole - at ? got : whole - at;
        testdata_verify(check->input->pattern, &content, at, check->block, compared, &found);
    }
    const bool wrong = verification_errors(&found) > 0 || size > whole;
    arrival->wrong += wrong;
    arrival->incomplete += !wrong && at < whole;
    if (!wrong && at >= whole) {
        arrival->intact++;
        arrival->intact_bytes += whole;
    }
}

/* One line, without its end. */
static void check_line(struct check *check, const char *line, uint64_t length)
{
    struct arrival *arrival = check->arrival;
    const struct observe_trial *trial = check->input->trial;
    char digits[TOOL_RECORD_BYTES_LEAST];
    if (length + 1 != trial->record_bytes || strspn(line, "0123456789") < TOOL_RECORD_BYTES_LEAST - 1) {
        arrival->wrong++;
        return;
    }
    memcpy(digits, line, sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    const uint64_t number = strtoull(digits, NULL, 10);
    if (number < trial->records)
        input_record(check->input, number, check->expected);
    if (number >= trial->records || memcmp(line, check->expected, length) != 0) {
        arrival->wrong++;
    } else if (!take_first(check, number)) {
        arrival->duplicate++;
    } else {
        arrival->intact++;
        arrival->intact_bytes += trial->record_bytes;
    }
}

/* Records may be in any file, in any order. A line that is longer than a record is one wrong one. */
static void check_records(struct check *check, int file)
{
    const uint64_t size = check->input->trial->record_bytes;
    size_t kept = 0, got;
    bool skipping = false;
    while ((got = read_some(check, file, check->block + kept, BLOCK)) > 0) {
        char *line = check->block, *end = check->block + kept + got;
        for (char *stop; (stop = memchr(line, '\n', (size_t)(end - line))); line = stop + 1) {
            *stop = '\0';
            if (!skipping)
                check_line(check, line, (uint64_t)(stop - line));
            skipping = false;
        }
        kept = (size_t)(end - line);
        if (kept >= size) {
            check->arrival->wrong += !skipping;
            skipping = true;
            kept = 0;
        }
        memmove(check->block, line, kept);
    }
    check->arrival->wrong += kept > 0 && !skipping; /* its end never arrived */
}

static void visit(struct tree *tree, int parent, const char *name, const char *path, const struct stat *found)
{
    struct check *check = tree->own;
    struct arrival *arrival = check->arrival;
    const bool files = check->input->trial->input == INPUT_FILES;
    uint64_t number = 0;
    if (check->stopped || check->error)
        return;
    if (!S_ISREG(found->st_mode) || (files && !input_number(check->input, path, &number))) {
        arrival->unexpected++;
        snprintf(arrival->unexpected_name, sizeof arrival->unexpected_name, "%.120s", path);
        return;
    }
    const int file = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        check->error = errno;
        return;
    }
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); /* synced: it is read from the device again */
    if (files) {
        take_first(check, number);
        check_file(check, file, number, (uint64_t)found->st_size);
    } else {
        check_records(check, file);
    }
    close(file);
}

bool arrival_check(struct arrival *arrival, const struct input_data *input, struct attempt *attempt, int directory)
{
    const struct observe_trial *trial = input->trial;
    const uint64_t count = trial->input == INPUT_FILES ? trial->files : trial->records;
    struct check check = {
        .arrival = arrival,
        .input = input,
        .attempt = attempt,
        .arrived = calloc(count / 8 + 1, 1),
        .block = malloc(BLOCK + trial->record_bytes + 1),
        .expected = malloc(trial->record_bytes + 1),
    };
    struct tree tree = {.visit = visit, .own = &check};
    bool good = check.arrived && check.block && check.expected;
    *arrival = (struct arrival){0};
    if (good) {
        errand_does(&attempt->workspace->errand, "verifying", trial->input_bytes);
        tree_walk(&tree, directory);
        uint64_t arrived = 0;
        for (uint64_t i = 0; i < count; i++)
            arrived += (check.arrived[i / 8] >> (i % 8)) & 1;
        arrival->missing = count - arrived;
        arrival->checked = !check.stopped && !check.error;
    }
    free(check.arrived);
    free(check.block);
    free(check.expected);
    if (!good)
        return fail_errno(&attempt->failure, ENOMEM, "what arrived cannot be checked");
    return check.error == 0 || fail_errno(&attempt->failure, check.error, "what arrived cannot be read");
}
