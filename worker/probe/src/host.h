/* This machine's identity: names, kernel, boot, and the cacheable memory. */
#ifndef ASSAY_HOST_H
#define ASSAY_HOST_H

#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The path of a file of /proc, /sys or /dev. A test build takes it from below $ASSAY_PROBE_ROOT
 * where that holds it, so that machines of any kind can be described to it. `buffer` has
 * PATH_MAX bytes. */
const char *host_path(char *buffer, const char *path);

/* Reads a small file whole (proc, sys) into a NUL-terminated buffer without its last
 * newline; its length or -1. */
ssize_t host_read_file(const char *path, char *buffer, size_t size);

/* At least 40 bytes; "unknown" if the kernel does not report it. */
void host_boot_id(char *boot_id);

/* The value of a /proc/meminfo field in bytes, 0 when it is not there. */
uint64_t host_meminfo(const char *text, const char *field);
uint64_t host_mem_total(void);
uint64_t host_mem_available(void);

/* The fields that `hello` and `inspect` share: hostname, kernel, arch, boot_id. */
void host_identity(struct text *text);
int host_cpus(void);
/* The unit of CPU time in /proc/stat. */
uint64_t host_tick_ns(void);

/* A field of a process's or thread's stat file as proc(5) numbers them, from 3 on, or NULL; the
 * name before may hold anything. */
const char *host_stat_field(const char *stat, int number);

/* When a process began, in clock ticks since the machine did; 0 when it is gone. Tells a reused
 * pid. Where `name` is not NULL, it says what the process is called, and its number. */
uint64_t host_process_started(uint64_t pid, char *name, size_t size);
/* The field `clocksource`, null if the kernel does not report it. */
void host_clocksource(struct text *text);

/* The CPUs that this process may run on. */
int host_cpus_allowed(void);

#endif
