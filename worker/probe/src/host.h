/* Who this machine is: names, kernel, boot, and the memory that may cache. */
#ifndef ASSAY_HOST_H
#define ASSAY_HOST_H

#include "json.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a small file whole (proc, sys) into a NUL-terminated buffer without its last
 * newline; its length or -1. */
ssize_t host_read_file(const char *path, char *buffer, size_t size);

/* At least 40 bytes; "unknown" where the kernel does not say. */
void host_boot_id(char *boot_id);

/* The value of a /proc/meminfo field in bytes, 0 when it is not there. */
uint64_t host_meminfo(const char *text, const char *field);
uint64_t host_mem_total(void);
uint64_t host_mem_available(void);

/* The least of MemTotal and the limits of the cgroups (v1 and v2) this process is in. */
uint64_t host_mem_limit(void);

/* The fields that `hello` and `inspect` share: hostname, kernel, arch, boot_id. */
void host_identity(struct text *text);
int host_cpus(void);

#endif
