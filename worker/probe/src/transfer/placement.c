#include "transfer/placement.h"

#include "blockdev.h"
#include "cpulist.h"
#include "host.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_driver(const char *card, char *driver, size_t size)
{
    char path[128], place[PATH_MAX], goal[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s/device/driver", card);
    ssize_t length = readlink(host_path(place, path), goal, sizeof goal - 1);
    goal[length > 0 ? length : 0] = '\0';
    const char *name = strrchr(goal, '/');
    snprintf(driver, size, "%.63s", name ? name + 1 : goal);
}

/* Adds the CPUs in a queue's mask. */
static void add_mask(const char *card, const char *queue, const char *mask, bool *known, cpu_set_t *cpus)
{
    char path[384], text[CPULIST_LENGTH];
    cpu_set_t of_queue;
    snprintf(path, sizeof path, "/sys/class/net/%s/queues/%s/%s", card, queue, mask);
    if (host_read_file(path, text, sizeof text) <= 0 || !cpulist_parse_mask(text, &of_queue))
        return;
    *known = true;
    CPU_OR(cpus, cpus, &of_queue);
}

static void read_queues(const char *card, struct card_setup *setup)
{
    char path[128], place[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s/queues", card);
    DIR *list = opendir(host_path(place, path));
    if (!list)
        return;
    setup->rx_queues = setup->tx_queues = 0;
    for (struct dirent *entry; (entry = readdir(list));)
        if (strncmp(entry->d_name, "rx-", 3) == 0) {
            setup->rx_queues++;
            add_mask(card, entry->d_name, "rps_cpus", &setup->has_rps, &setup->rps);
        } else if (strncmp(entry->d_name, "tx-", 3) == 0) {
            setup->tx_queues++;
            add_mask(card, entry->d_name, "xps_cpus", &setup->has_xps, &setup->xps);
        }
    closedir(list);
}

static int by_number(const void *one, const void *other)
{
    const uint64_t a = ((const struct card_irq *)one)->number, b = ((const struct card_irq *)other)->number;
    return (a > b) - (a < b);
}

static void read_irqs(const char *card, struct card_setup *setup)
{
    char path[128], place[PATH_MAX], text[CPULIST_LENGTH];
    snprintf(path, sizeof path, "/sys/class/net/%s/device/msi_irqs", card);
    DIR *list = opendir(host_path(place, path));
    if (!list)
        return;
    setup->irq_count = 0;
    for (struct dirent *entry; (entry = readdir(list)) && setup->irq_count < IRQS_MOST;) {
        struct card_irq *irq = &setup->irqs[setup->irq_count];
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        irq->number = strtoull(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/irq/%" PRIu64 "/effective_affinity_list", irq->number);
        irq->known = host_read_file(path, text, sizeof text) > 0 && cpulist_parse(text, &irq->cpus);
        setup->irq_count++;
    }
    closedir(list);
    qsort(setup->irqs, (size_t)setup->irq_count, sizeof *setup->irqs, by_number);
}

static void read_setup(const struct card *card, struct card_setup *setup)
{
    char path[128], text[CPULIST_LENGTH];
    *setup = (struct card_setup){.rx_queues = -1, .tx_queues = -1, .irq_count = -1};
    setup->known = card_in_sysfs(card->name);
    if (!setup->known)
        return;
    read_driver(card->name, setup->driver, sizeof setup->driver);
    snprintf(path, sizeof path, "/sys/class/net/%s/device/local_cpulist", card->name);
    setup->has_local = host_read_file(path, text, sizeof text) > 0 && cpulist_parse(text, &setup->local);
    read_queues(card->name, setup);
    read_irqs(card->name, setup);
}

static bool has_irq(const struct card_setup *setup, uint64_t number)
{
    for (int64_t i = 0; i < setup->irq_count; i++)
        if (setup->irqs[i].number == number)
            return true;
    return false;
}

/* Keeps the first line, which names the CPUs, and those of the card's interrupts. */
static void read_interrupts(const struct card_setup *setup, struct text *kept)
{
    char place[PATH_MAX], *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *lines = setup->irq_count > 0 ? fopen(host_path(place, "/proc/interrupts"), "re") : NULL;
    while (lines && (length = getline(&line, &capacity, lines)) > 0) {
        char *end;
        const uint64_t number = strtoull(line, &end, 10);
        if (kept->length == 0 || (end != line && *end == ':' && has_irq(setup, number)))
            text_append(kept, line, (size_t)length);
    }
    if (lines)
        fclose(lines);
    free(line);
}

void placement_begin(struct placement *placement, const struct card *card)
{
    placement->card = card;
    read_setup(card, &placement->start);
    read_interrupts(&placement->start, &placement->interrupts);
}

void placement_free(struct placement *placement)
{
    text_free(&placement->interrupts);
}

/* The counts of an interrupt in kept lines; NULL if it was not there. */
static const char *counts_of(const struct text *kept, uint64_t number)
{
    for (const char *line = kept->length ? strchr(kept->data, '\n') : NULL; line && line[1]; line = strchr(line + 1, '\n')) {
        char *end;
        if (strtoull(line + 1, &end, 10) == number && *end == ':')
            return end + 1;
    }
    return NULL;
}

/* Takes the next count of a line, 0 without a line. */
static uint64_t next_count(const char **counts)
{
    char *end;
    if (!*counts)
        return 0;
    const uint64_t count = strtoull(*counts, &end, 10);
    *counts = end;
    return count;
}

/* Rows of an interrupt, a CPU and how often it handled it; CPUs that went on or off line since make it
 * unknown. */
static void interrupts_field(struct text *line, const struct text *start, const struct text *now, const struct card_setup *setup)
{
    const size_t header = start->length ? strcspn(start->data, "\n") : 0;
    if (!header || !now->length || strncmp(start->data, now->data, header + 1) != 0) {
        json_null(line, "interrupts");
        return;
    }
    json_open(line, "interrupts", '[');
    for (int64_t i = 0; i < setup->irq_count; i++) {
        const uint64_t number = setup->irqs[i].number;
        const char *after = counts_of(now, number), *before = counts_of(start, number);
        for (const char *cpu = now->data; after && (cpu = strstr(cpu, "CPU")) && cpu < now->data + header; cpu += 3) {
            const uint64_t later = next_count(&after), earlier = next_count(&before);
            if (later <= earlier)
                continue;
            json_open(line, NULL, '[');
            json_uint(line, NULL, number);
            json_uint(line, NULL, strtoull(cpu + 3, NULL, 10));
            json_uint(line, NULL, later - earlier);
            json_close(line, ']');
        }
    }
    json_close(line, ']');
}

static void setup_field(struct text *line, const char *name, const struct card_setup *setup)
{
    if (!setup->known) {
        json_null(line, name);
        return;
    }
    json_open(line, name, '{');
    json_string(line, "driver", setup->driver[0] ? setup->driver : NULL);
    cpulist_field(line, "local_cpus", setup->has_local, &setup->local);
    json_known(line, "rx_queues", setup->rx_queues);
    json_known(line, "tx_queues", setup->tx_queues);
    cpulist_field(line, "rps_cpus", setup->has_rps, &setup->rps);
    cpulist_field(line, "xps_cpus", setup->has_xps, &setup->xps);
    if (setup->irq_count < 0) {
        json_null(line, "irqs");
    } else {
        json_open(line, "irqs", '[');
        for (int64_t i = 0; i < setup->irq_count; i++) {
            json_open(line, NULL, '{');
            json_uint(line, "irq", setup->irqs[i].number);
            cpulist_field(line, "cpus", setup->irqs[i].known, &setup->irqs[i].cpus);
            json_close(line, '}');
        }
        json_close(line, ']');
    }
    json_close(line, '}');
}

/* Writes the nodes in a set, which has the numbers of nodes; null unless it is known. */
static void nodes_field(struct text *line, const char *name, bool known, const cpu_set_t *nodes)
{
    if (!known) {
        json_null(line, name);
        return;
    }
    json_open(line, name, '[');
    for (int node = 0; node < CPU_SETSIZE; node++)
        if (CPU_ISSET(node, nodes))
            json_int(line, NULL, node);
    json_close(line, ']');
}

/* The nodes with a CPU of the set; false if the kernel reports no nodes. */
static bool nodes_of(const cpu_set_t *cpus, cpu_set_t *nodes)
{
    char path[64], text[CPULIST_LENGTH];
    cpu_set_t online, own;
    CPU_ZERO(nodes);
    if (host_read_file("/sys/devices/system/node/online", text, sizeof text) <= 0 || !cpulist_parse(text, &online))
        return false;
    for (int node = 0; node < CPU_SETSIZE; node++) {
        if (!CPU_ISSET(node, &online))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        if (host_read_file(path, text, sizeof text) < 0 || !cpulist_parse(text, &own))
            return false;
        CPU_AND(&own, &own, cpus);
        if (CPU_COUNT(&own) > 0)
            CPU_SET(node, nodes);
    }
    return true;
}

/* The NUMA node of the nearest device above a disk that has one; -1 if none has. */
static int64_t node_of_disk(const char *disk)
{
    char path[128], place[PATH_MAX], real[PATH_MAX], text[32], node[PATH_MAX + 16];
    snprintf(path, sizeof path, "/sys/class/block/%.63s", disk);
    if (!realpath(host_path(place, path), real))
        return -1;
    for (char *end; (end = strrchr(real, '/')) && strcmp(end, "/devices") != 0; *end = '\0') {
        snprintf(node, sizeof node, "%s/numa_node", real);
        if (host_read_file(node, text, sizeof text) > 0)
            return strtoll(text, NULL, 10);
    }
    return -1;
}

/* The nodes of all disks below a device; false if that of one is unknown. */
static bool nodes_below(const char *device, cpu_set_t *nodes)
{
    struct disks disks = {.count = 0};
    CPU_ZERO(nodes);
    disks_below(device, &disks);
    for (size_t i = 0; i < disks.count; i++) {
        const int64_t node = node_of_disk(disks.list[i].name);
        if (node < 0 || node >= CPU_SETSIZE)
            return false;
        CPU_SET((size_t)node, nodes);
    }
    return disks.count > 0;
}

void placement_field(struct text *line, const struct placement *placement, const char *cpus, const struct thread_cpus *threads,
                     const char *disk)
{
    static struct card_setup end; /* too large for the stack; one trial ends at a time */
    struct text now = {0};
    cpu_set_t nodes;
    read_setup(placement->card, &end);
    read_interrupts(&end, &now);
    json_open(line, "placement", '{');
    json_string(line, "cpus", cpus);
    cpulist_field(line, "cpus_allowed", threads->known, &threads->allowed);
    cpulist_field(line, "cpus_used", threads->known, &threads->used);
    nodes_field(line, "numa_nodes_used", threads->known && nodes_of(&threads->used, &nodes), &nodes);
    nodes_field(line, "disk_numa_nodes", nodes_below(disk, &nodes), &nodes);
    setup_field(line, "start", &placement->start);
    setup_field(line, "end", &end);
    interrupts_field(line, &placement->interrupts, &now, &end);
    json_close(line, '}');
    text_free(&now);
}
