#include "residency.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_STEP (1ull << 30)
#define EXTENTS_A_CALL 128

const char *const extents_names[] = {"none", "found", "unsupported"};

static bool count_step(int file, uint64_t offset, uint64_t bytes, uint64_t *checked, uint64_t *resident)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size_t)((bytes + page - 1) / page);
    void *mapped = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, file, (off_t)offset);
    if (mapped == MAP_FAILED)
        return false;
    unsigned char *states = malloc(pages);
    bool good = states && mincore(mapped, (size_t)bytes, states) == 0;
    for (size_t i = 0; good && i < pages; i++)
        *resident += states[i] & 1;
    *checked += good ? pages : 0;
    free(states);
    munmap(mapped, (size_t)bytes);
    return good;
}

bool residency_count(int file, uint64_t bytes, uint64_t *checked, uint64_t *resident)
{
    for (uint64_t offset = 0; offset < bytes; offset += MAP_STEP) {
        uint64_t left = bytes - offset;
        if (!count_step(file, offset, left < MAP_STEP ? left : MAP_STEP, checked, resident))
            return false;
    }
    return true;
}

bool residency_count_at(int file, uint64_t offset, uint64_t bytes, uint64_t *checked, uint64_t *resident)
{
    const uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE);
    return count_step(file, offset - before, bytes + before, checked, resident);
}

bool residency_drop(int file)
{
    if (fsync(file) != 0)
        return false;
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    return true;
}

enum extents residency_unwritten(int file, uint64_t bytes)
{
    static const size_t size = sizeof(struct fiemap) + EXTENTS_A_CALL * sizeof(struct fiemap_extent);
    struct fiemap *map = malloc(size);
    enum extents found = map ? EXTENTS_NONE : EXTENTS_UNSUPPORTED;
    for (uint64_t at = 0; at < bytes && found == EXTENTS_NONE;) {
        memset(map, 0, size);
        map->fm_start = at;
        map->fm_length = bytes - at;
        map->fm_flags = FIEMAP_FLAG_SYNC;
        map->fm_extent_count = EXTENTS_A_CALL;
        if (ioctl(file, FS_IOC_FIEMAP, map) != 0)
            found = EXTENTS_UNSUPPORTED;
        else if (map->fm_mapped_extents == 0)
            found = EXTENTS_FOUND; /* a hole up to the end */
        for (uint32_t i = 0; i < map->fm_mapped_extents && at < bytes && found == EXTENTS_NONE; i++) {
            const struct fiemap_extent *extent = &map->fm_extents[i];
            if (extent->fe_logical > at || (extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
                found = EXTENTS_FOUND;
            at = extent->fe_logical + extent->fe_length;
        }
    }
    free(map);
    return found;
}

/* The needed part of the kernel's struct statx as of 6.1, which C libraries may lack. */
struct kernel_statx {
    uint32_t mask;
    unsigned char between[148];
    uint32_t dio_memory_alignment;
    uint32_t dio_offset_alignment;
    unsigned char after[96];
};
#define MASK_DIOALIGN 0x2000u

static uint32_t alignment_by_trying(int dir)
{
    int file = openat(dir, ALIGNMENT_FILE, O_RDWR | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return 0;
    void *buffer = NULL;
    uint32_t found = 0;
    int reason = ENOMEM;
    if (posix_memalign(&buffer, 65536, 65536) == 0) {
        memset(buffer, 0, 65536);
        for (uint32_t size = 512; size <= 65536 && !found; size *= 2)
            if (pwrite(file, buffer, size, size) == (ssize_t)size)
                found = size;
            else
                reason = errno;
    }
    free(buffer);
    close(file);
    errno = reason;
    return found;
}

uint32_t residency_alignment(int dir)
{
    struct kernel_statx facts = {0};
    int file = openat(dir, ALIGNMENT_FILE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return 0;
    /* Emulators may set the mask without the fields, so 0 is verified by a test. */
    bool told = syscall(SYS_statx, file, "", AT_EMPTY_PATH, MASK_DIOALIGN, &facts) == 0 &&
                (facts.mask & MASK_DIOALIGN) && facts.dio_offset_alignment > 0;
    uint32_t found = told ? facts.dio_offset_alignment : alignment_by_trying(dir);
    int reason = errno;
    close(file);
    unlinkat(dir, ALIGNMENT_FILE, 0);
    errno = reason;
    return found;
}
