/* Fuzz target of the plan parser: no input may crash it, and a plan that it accepts keeps
 * the limits that the rest of the probe relies on.
 *
 * LLVMFuzzerTestOneInput is the entry for libFuzzer (clang -fsanitize=fuzzer) and AFL++.
 * With FUZZ_DRIVER, which gcc can build too, a main executes a corpus and then mutates it:
 * fuzz_plan [--seconds N] FOLDER */
#include "plan.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan plan;
    char error[512] = "";
    bool good = plan_parse((const char *)data, size, &plan, error, sizeof error);
    if (!good && (error[0] == '\0' || strchr(error, '\n')))
        abort(); /* refused without a line that says why */
    if (good && (plan.count == 0 || !plan.run || !plan.target || plan.target[0] != '/'))
        abort();
    for (size_t i = 0; good && i < plan.count; i++) {
        const struct trial *trial = &plan.trials[i];
        if (trial->block < 512 || trial->files > trial->threads || trial->threads > 256 || trial->file_size == 0 ||
            trial->file_size % trial->block != 0 || trial->file_size > (1ull << 62) / trial->files + trial->block)
            abort();
    }
    plan_free(&plan);
    return 0;
}

#ifdef FUZZ_DRIVER

#define SEEDS 256
#define LONGEST 16384

static struct {
    uint8_t data[LONGEST];
    size_t size;
} seeds[SEEDS];
static size_t seed_count;

static void read_corpus(const char *folder)
{
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && seed_count < SEEDS && (entry = readdir(files));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        seeds[seed_count].size = fread(seeds[seed_count].data, 1, LONGEST, file);
        seed_count++;
        fclose(file);
    }
    if (files)
        closedir(files);
}

/* Changes, removes, repeats or splices bytes; whole fields where a space begins them. */
static size_t mutate(uint8_t *data, size_t size)
{
    for (int changes = 1 + rand() % 4; changes > 0 && size > 1; changes--) {
        size_t at = (size_t)rand() % size, length = 1 + (size_t)rand() % 24;
        if (length > size - at)
            length = size - at;
        switch (rand() % 5) {
        case 0:
            data[at] = (uint8_t)rand();
            break;
        case 1:
            data[at] = (uint8_t) " =%\n0919az/"[rand() % 11];
            break;
        case 2:
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        case 3:
            if (size + length <= LONGEST) {
                memmove(data + at + length, data + at, size - at);
                size += length;
            }
            break;
        default: {
            size_t other = (size_t)rand() % seed_count;
            size_t from = seeds[other].size ? (size_t)rand() % seeds[other].size : 0;
            if (length > seeds[other].size - from)
                length = seeds[other].size - from;
            memcpy(data + at, seeds[other].data + from, length);
        }
        }
    }
    return size;
}

int main(int count, char **arguments)
{
    long seconds = count > 2 && strcmp(arguments[1], "--seconds") == 0 ? atol(arguments[2]) : 0;
    unsigned long executed = 0;
    static uint8_t data[LONGEST];
    read_corpus(arguments[count - 1]);
    for (size_t i = 0; i < seed_count; i++, executed++)
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
    srand((unsigned)time(NULL));
    for (time_t end = time(NULL) + seconds; seed_count > 0 && time(NULL) < end; executed++) {
        size_t seed = (size_t)rand() % seed_count;
        memcpy(data, seeds[seed].data, seeds[seed].size);
        LLVMFuzzerTestOneInput(data, mutate(data, seeds[seed].size));
    }
    printf("%lu inputs\n", executed);
    return seed_count == 0;
}

#endif
