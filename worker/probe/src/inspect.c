/* inspect: describe this host in one JSON document. It does not fail if a part is missing or
 * hangs: unknown values are null. */
#include "inspect.h"

#include "blockdev.h"
#include "cgroup.h"
#include "columns.h"
#include "host.h"
#include "uring.h"
#include "verbs.h"

#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void optional_file(struct text *text, const char *name, const char *path)
{
    char value[256];
    json_string(text, name, host_read_file(path, value, sizeof value) > 0 ? value : NULL);
}

/* The value of `key` in lines of "key<separator>value", without quotes; NULL when absent. */
static char *value_of(char *lines, const char *key, char separator)
{
    for (char *line; (line = strsep(&lines, "\n"));) {
        char *value = strchr(line, separator);
        if (!value || strncmp(line, key, strlen(key)) != 0)
            continue;
        value += 1 + strspn(value + 1, " \"");
        value[strcspn(value, "\"")] = '\0';
        return value;
    }
    return NULL;
}

static void operating_system(struct text *text)
{
    char lines[4096];
    bool known = host_read_file("/etc/os-release", lines, sizeof lines) > 0;
    json_string(text, "os", known ? value_of(lines, "PRETTY_NAME", '=') : NULL);
}

static void processors(struct text *text)
{
    char lines[8192]; /* the lines of the first processor; all are the same */
    bool known = host_read_file("/proc/cpuinfo", lines, sizeof lines) > 0;
    json_open(text, "cpus", '{');
    json_int(text, "count", host_cpus());
    json_string(text, "model", known ? value_of(lines, "model name", ':') : NULL);
    json_close(text, '}');
}

static void network_card(struct text *text, const char *name)
{
    char path[512], speed[32];
    snprintf(path, sizeof path, "/sys/class/net/%s/speed", name);
    long mbps = host_read_file(path, speed, sizeof speed) > 0 ? strtol(speed, NULL, 10) : -1;
    json_open(text, NULL, '{');
    json_string(text, "name", name);
    json_known(text, "speed_bits_per_s", mbps > 0 ? (int64_t)mbps * 1000000 : -1);
    snprintf(path, sizeof path, "/sys/class/net/%s/address", name);
    optional_file(text, "mac", path);
    snprintf(path, sizeof path, "/sys/class/net/%s/operstate", name);
    optional_file(text, "state", path);
    json_close(text, '}');
}

/* A host's /sys that is mounted in a container lists the cards of the host: those of this network
 * namespace have an index. */
static bool is_own_card(const char *name)
{
    return name[0] != '.' && strcmp(name, "lo") != 0 && if_nametoindex(name) != 0;
}

static void network_cards(struct text *text)
{
    DIR *cards = opendir("/sys/class/net");
    json_open(text, "nics", '[');
    for (struct dirent *entry; cards && (entry = readdir(cards));)
        if (is_own_card(entry->d_name))
            network_card(text, entry->d_name);
    json_close(text, ']');
    if (cards)
        closedir(cards);
}

static void io_uring(struct text *text)
{
    char why[300];
    const bool available = uring_permitted(1, 1, why, sizeof why);
    json_open(text, "io_uring", '{');
    json_bool(text, "available", available);
    json_string(text, "reason", available ? NULL : why);
    json_close(text, '}');
}

int verb_inspect(int count, char **arguments)
{
    struct text text = {0};
    struct mounts mounts;
    if (count != 0 && (count != 2 || strcmp(arguments[0], "--target") != 0))
        return complain(EXIT_USAGE, "usage: inspect [--target DIR]");
    if (!mounts_read(&mounts))
        return complain(EXIT_SYSTEM, "/proc/self/mountinfo cannot be read");
    json_open(&text, NULL, '{');
    json_int(&text, "contract", CONTRACT_VERSION);
    host_identity(&text);
    operating_system(&text);
    optional_file(&text, "machine_id", "/etc/machine-id");
    processors(&text);
    json_uint(&text, "mem_total_bytes", host_mem_total());
    json_uint(&text, "mem_limit_bytes", cgroup_mem_limit());
    inspect_filesystems(&text, &mounts);
    blockdev_list(&text);
    network_cards(&text);
    io_uring(&text);
    if (count == 2)
        inspect_target(&text, &mounts, arguments[1]);
    json_close(&text, '}');
    mounts_free(&mounts);
    return print_document(&text);
}
