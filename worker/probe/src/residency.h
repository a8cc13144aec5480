/* Properties of a file in the page cache and the file system: residency, extents, and the
 * alignment that O_DIRECT requires. They cover only this machine, not the caches of ZFS, an array
 * or a hypervisor. */
#ifndef ASSAY_RESIDENCY_H
#define ASSAY_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>

/* Adds the number of checked pages of [0, bytes) and of those found in the page cache. False with
 * errno if the file cannot be mapped. */
bool residency_count(int file, uint64_t bytes, uint64_t *checked, uint64_t *resident);

/* The same of [offset, offset + bytes), from the beginning of its first page. */
bool residency_count_at(int file, uint64_t offset, uint64_t bytes, uint64_t *checked, uint64_t *resident);

/* Writes back and drops a file's pages; false with errno if the fsync fails. */
bool residency_drop(int file);

enum extents { EXTENTS_NONE, EXTENTS_FOUND, EXTENTS_UNSUPPORTED };
extern const char *const extents_names[];

/* Finds extents in [0, bytes) that were allocated but never written, and holes: reading them
 * does not access the device. */
enum extents residency_unwritten(int file, uint64_t bytes);

#define ALIGNMENT_FILE "alignment"

/* The alignment of offsets and lengths for O_DIRECT in a directory, determined by a temporary
 * file; 0 with errno if O_DIRECT is rejected. */
uint32_t residency_alignment(int dir);

#endif
