#include "transfer/affinity.h"

#include "cpulist.h"
#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NODE "node:"

static bool refuse(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool refuse(char *error, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, size, format, arguments);
    va_end(arguments);
    return false;
}

bool affinity_is_of_card(const char *cpus)
{
    return strcmp(cpus, "card") == 0;
}

static bool read_list(const char *path, cpu_set_t *cpus)
{
    char text[CPULIST_LENGTH];
    return host_read_file(path, text, sizeof text) >= 0 && cpulist_parse(text, cpus);
}

/* The CPUs near a node or a card. */
static bool find_local(const char *cpus, const char *card, cpu_set_t *local, char *error, size_t size)
{
    char path[128], nodes[256], node[32];
    if (affinity_is_of_card(cpus)) {
        snprintf(path, sizeof path, "/sys/class/net/%s/device/numa_node", card);
        if (!card[0] || host_read_file(path, node, sizeof node) <= 0 || node[0] == '-')
            return refuse(error, size, "cpus=card: the kernel knows no NUMA node of the card%s%s; name CPUs, or a node",
                          card[0] ? " " : "", card);
        snprintf(path, sizeof path, "/sys/class/net/%s/device/local_cpulist", card);
        return read_list(path, local) ||
               refuse(error, size, "cpus=card: the kernel does not say which CPUs are local to %s; name CPUs, or a node", card);
    }
    const char *number = cpus + strlen(NODE);
    if (!number[0] || strlen(number) > 4 || strspn(number, "0123456789") != strlen(number))
        return refuse(error, size, "cpus=%.40s: a node is a number; use one such as %s0", cpus, NODE);
    snprintf(path, sizeof path, "/sys/devices/system/node/node%s/cpulist", number);
    if (read_list(path, local))
        return true;
    if (host_read_file("/sys/devices/system/node/online", nodes, sizeof nodes) <= 0)
        return refuse(error, size, "cpus=%s: this kernel reports no NUMA nodes; name CPUs", cpus);
    return refuse(error, size, "cpus=%s: this host has no such NUMA node; its nodes are %s", cpus, nodes);
}

bool affinity_find(const char *cpus, const char *card, cpu_set_t *found, char *error, size_t size)
{
    cpu_set_t allowed, named;
    char list[CPULIST_LENGTH];
    const bool is_list = !affinity_is_of_card(cpus) && strncmp(cpus, NODE, strlen(NODE)) != 0;
    if (is_list && (!cpus[0] || !cpulist_parse(cpus, &named)))
        return refuse(error, size, "cpus=%.200s: no list of CPUs below %d; use one such as 0-3,8, or %s0, or card", cpus,
                      CPU_SETSIZE, NODE);
    if (!is_list && !find_local(cpus, card, &named, error, size))
        return false;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return refuse(error, size, "cpus=%.200s: the kernel does not say which CPUs this process may use; omit it", cpus);
    CPU_AND(found, &named, &allowed);
    if (is_list && !CPU_EQUAL(found, &named)) {
        int missing = 0;
        while (!CPU_ISSET(missing, &named) || CPU_ISSET(missing, &allowed))
            missing++;
        return refuse(error, size, "cpus=%.200s: CPU %d is offline, or not in the cpuset of this process, which allows %.200s; "
                                   "use only these",
                      cpus, missing, cpulist_format(&allowed, list));
    }
    return CPU_COUNT(found) > 0 ||
           refuse(error, size, "cpus=%s: none of its CPUs is in the cpuset of this process, which allows %.200s; name some of these",
                  cpus, cpulist_format(&allowed, list));
}
