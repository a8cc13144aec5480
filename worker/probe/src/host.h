/* This machine's identity: names, kernel, boot, and the cacheable memory. */
#ifndef ASSAY_HOST_H
#define ASSAY_HOST_H

#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The path of a file of /proc, /sys or /dev. A test build reads it below $ASSAY_PROBE_ROOT if it
 * exists there, so that tests can describe machines of any kind. `buffer` has PATH_MAX bytes. */
const char *host_path(char *buffer, const char *path);

/* Reads a small file (proc, sys) completely into a NUL-terminated buffer, without its last
 * newline; returns its length or -1. */
ssize_t host_read_file(const char *path, char *buffer, size_t size);

/* At least 40 bytes; "unknown" if the kernel does not report it. */
void host_boot_id(char *boot_id);

/* The value of a /proc/meminfo field in bytes, 0 if it is missing. */
uint64_t host_meminfo(const char *text, const char *field);
uint64_t host_mem_total(void);
uint64_t host_mem_available(void);

/* The fields that `hello` and `inspect` share: hostname, kernel, arch, boot_id. */
void host_identity(struct text *text);
int host_cpus(void);
/* The unit of CPU time in /proc/stat. */
uint64_t host_tick_ns(void);

/* A field of a process's or thread's stat file, numbered from 3 as in proc(5), or NULL; the name
 * before it may contain any characters. */
const char *host_stat_field(const char *stat, int number);

/* The start time of a process, in clock ticks since boot; 0 if it is gone. It detects a reused
 * pid. If `name` is not NULL, it receives the process's name and number. */
uint64_t host_process_started(uint64_t pid, char *name, size_t size);

/* The process that started it, or the one that inherited it; 0 if it is gone. */
uint64_t host_process_parent(uint64_t pid);

/* Whether a process, by its name and number, is a probe: another one of this run, or a verb of this
 * one that follows it. What it moves is known to the worker, so it is not named as the cause. */
bool host_is_probe(const char *name);

/* The field `clocksource`, null if the kernel does not report it. */
void host_clocksource(struct text *text);

/* The CPUs that this process may run on. */
int host_cpus_allowed(void);

#endif
