#include "transfer/card.h"

#include "host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool has_address(const struct ifaddrs *one, const char *address)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (!one->ifa_addr)
        return false;
    if (one->ifa_addr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr, text, sizeof text);
    else if (one->ifa_addr->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr, text, sizeof text);
    return strcmp(text, address) == 0;
}

/* Of this network namespace; sysfs may show another one. */
static int64_t read_mtu(const char *name)
{
    struct ifreq request = {0};
    int asked = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    bool known = asked >= 0 && ioctl(asked, SIOCGIFMTU, &request) == 0;
    if (asked >= 0)
        close(asked);
    return known ? request.ifr_mtu : -1;
}

/* A card's number in sysfs; -1 where a driver reports none, which it does as -1, too. */
static int64_t read_number(const char *name, const char *what)
{
    char path[128], text[32];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, what);
    return host_read_file(path, text, sizeof text) > 0 ? strtoll(text, NULL, 10) : -1;
}

bool card_in_sysfs(const char *name)
{
    const unsigned index = name[0] ? if_nametoindex(name) : 0;
    return index > 0 && read_number(name, "ifindex") == index;
}

void card_find(struct card *card, const char *address)
{
    struct ifaddrs *all = NULL;
    *card = (struct card){.mtu = -1, .speed_mbps = -1, .numa_node = -1};
    if (!address[0] || getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one && !card->name[0]; one = one->ifa_next)
        if (has_address(one, address))
            snprintf(card->name, sizeof card->name, "%s", one->ifa_name);
    freeifaddrs(all);
    if (!card->name[0])
        return;
    card->mtu = read_mtu(card->name);
    if (!card_in_sysfs(card->name))
        return;
    card->speed_mbps = read_number(card->name, "speed");
    card->numa_node = read_number(card->name, "device/numa_node");
}

/* Adds what a line says to the counters. */
typedef void take_line(const char *line, const struct card *card, struct card_counters *counters);

/* Reads a file of /proc line by line: with many cards or CPUs it is longer than the page that the
 * kernel returns for one read. */
static void read_lines(const char *path, take_line *take, const struct card *card, struct card_counters *counters)
{
    char place[PATH_MAX], text[4096], *end;
    size_t have = 0;
    int file = open(host_path(place, path), O_RDONLY | O_CLOEXEC);
    for (ssize_t got; file >= 0 && (got = read(file, text + have, sizeof text - have)) > 0;) {
        char *line = text;
        have += (size_t)got;
        for (; (end = memchr(line, '\n', have)); line = end + 1) {
            *end = '\0';
            take(line, card, counters);
            have -= (size_t)(end + 1 - line);
        }
        memmove(text, line, have);
    }
    if (file >= 0)
        close(file);
}

static void take_card(const char *line, const struct card *card, struct card_counters *counters)
{
    char name[IF_NAMESIZE];
    uint64_t rx, rx_dropped, tx, tx_dropped;
    if (sscanf(line, " %15[^:]: %" SCNu64 " %*u %*u %" SCNu64 " %*u %*u %*u %*u %" SCNu64 " %*u %*u %" SCNu64, name, &rx,
               &rx_dropped, &tx, &tx_dropped) != 5 ||
        strcmp(name, card->name) != 0)
        return;
    counters->has_card = true;
    counters->rx_bytes = rx;
    counters->tx_bytes = tx;
    counters->rx_dropped = rx_dropped;
    counters->tx_dropped = tx_dropped;
}

/* A line for each CPU, of hexadecimal numbers: packets, dropped, squeezed … */
static void take_softnet(const char *line, const struct card *card, struct card_counters *counters)
{
    uint64_t dropped, squeezed;
    (void)card; /* the counters are the host's */
    if (sscanf(line, "%*x %" SCNx64 " %" SCNx64, &dropped, &squeezed) != 2)
        return;
    counters->has_softnet = true;
    counters->softnet_dropped += dropped;
    counters->softnet_squeezed += squeezed;
}

void card_read(const struct card *card, struct card_counters *counters)
{
    *counters = (struct card_counters){0};
    if (card->name[0])
        read_lines("/proc/net/dev", take_card, card, counters);
    read_lines("/proc/net/softnet_stat", take_softnet, card, counters);
}

void card_fields(struct text *line, const struct card *card)
{
    json_string(line, "name", card->name);
    json_known(line, "mtu_bytes", card->mtu);
    json_known(line, "speed_mbps", card->speed_mbps);
    json_known(line, "numa_node", card->numa_node);
}

void card_counter_field(struct text *line, const char *name, bool known, uint64_t now, uint64_t start)
{
    json_known(line, name, known ? (int64_t)(now > start ? now - start : 0) : -1);
}
