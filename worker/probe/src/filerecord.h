/* The record of a run's named files, in its run directory: a line each, with device and inode. A
 * file is removed only if it is the recorded one, never by its name alone. */
#ifndef ASSAY_FILERECORD_H
#define ASSAY_FILERECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define FILE_RECORD "files"
#define FILE_NAME_MOST 64

struct recorded_file {
    char name[FILE_NAME_MOST];
    uint64_t dev, ino; /* 0 for a file that was about to be created */
    size_t line;
};

/* Appends a file; `made` is NULL if it is about to be created. False with errno. */
bool filerecord_add(int rundir, const char *name, const struct stat *made);

/* All lines, sorted by name and age, to be freed by the caller; NULL without a record. */
struct recorded_file *filerecord_read(int rundir, size_t *count);

/* The newest line with this name, or NULL. */
const struct recorded_file *filerecord_find(const struct recorded_file *files, size_t count, const char *name);

/* Whether the line describes this file. */
bool filerecord_is(const struct recorded_file *file, const struct stat *found, bool same_boot);

/* Whether it is the file with this device and inode; device numbers change at a reboot. */
bool filerecord_is_same(const struct stat *found, uint64_t dev, uint64_t ino, bool same_boot);

#endif
