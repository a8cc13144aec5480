#include "filerecord.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANNOUNCED_MOST (128 << 10) /* bytes of a file that was being created when its probe died */

bool filerecord_is_same(const struct stat *found, uint64_t dev, uint64_t ino, bool same_boot)
{
    return found->st_ino == ino && (!same_boot || found->st_dev == dev);
}

bool filerecord_add(int rundir, const char *name, const struct stat *made)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s %" PRIu64 " %" PRIu64 "\n", name, made ? (uint64_t)made->st_dev : 0,
                          made ? (uint64_t)made->st_ino : 0);
    int record = openat(rundir, FILE_RECORD, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (record < 0)
        return false;
    bool good = write(record, line, (size_t)length) == length;
    int reason = errno;
    close(record);
    errno = reason;
    return good;
}

static int by_name_and_age(const void *one, const void *other)
{
    const struct recorded_file *a = one, *b = other;
    int names = strcmp(a->name, b->name);
    return names ? names : (a->line > b->line) - (a->line < b->line);
}

static char *read_text(int rundir)
{
    struct stat found;
    int record = openat(rundir, FILE_RECORD, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (record < 0)
        return NULL;
    char *text = fstat(record, &found) == 0 ? malloc((size_t)found.st_size + 1) : NULL;
    ssize_t length = text ? pread(record, text, (size_t)found.st_size, 0) : -1;
    close(record);
    if (length < 0) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

struct recorded_file *filerecord_read(int rundir, size_t *count)
{
    char *text = read_text(rundir), *rest = text;
    size_t lines = 0;
    *count = 0;
    for (const char *c = text; c && *c; c++)
        lines += *c == '\n';
    struct recorded_file *files = text ? calloc(lines + 1, sizeof *files) : NULL;
    for (char *line; files && (line = strsep(&rest, "\n"));) {
        struct recorded_file *file = &files[*count];
        file->line = *count;
        *count += sscanf(line, "%63s %" SCNu64 " %" SCNu64, file->name, &file->dev, &file->ino) == 3;
    }
    if (files)
        qsort(files, *count, sizeof *files, by_name_and_age);
    free(text);
    return files;
}

const struct recorded_file *filerecord_find(const struct recorded_file *files, size_t count, const char *name)
{
    size_t low = 0, high = count; /* the first line after those of the name */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(files[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && strcmp(files[low - 1].name, name) == 0 ? &files[low - 1] : NULL;
}

bool filerecord_is(const struct recorded_file *file, const struct stat *found, bool same_boot)
{
    return file && (file->ino == 0 ? found->st_size <= ANNOUNCED_MOST : filerecord_is_same(found, file->dev, file->ino, same_boot));
}
