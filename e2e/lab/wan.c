/* A wide area network between two network namespaces: packets of one TUN device leave at the other,
 * later, at the rate of a line, and not all of them. It does what netem would, which many kernels
 * lack.
 *
 *     wan NAME DELAY_NS SEED  NETNS RATE QUEUE LOSS LARGEST  NETNS RATE QUEUE LOSS LARGEST
 *
 * Creates a TUN device NAME in both namespaces (paths such as /proc/42/ns/net), says "ready" and
 * forwards until it is killed. Each way has a line of RATE bytes per second of IP packets (0: no
 * limit) with a queue of QUEUE bytes in front of it, which drops what does not fit; every packet
 * takes DELAY_NS on the line. Of the packets that left the queue, LOSS of a million are lost, chosen
 * by a generator with this SEED; packets of more than LARGEST bytes vanish silently (a black hole).
 * Only IPv4 passes: what kernels send by themselves (IPv6 router solicitations, reports of multicast
 * groups) would take the generator's numbers at a moment of its own.
 *
 * One thread serves both ways. A packet's times follow from its arrival and from the packets before
 * it, so that a late wake-up delays single packets, but changes no rate. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define PACKET_BYTES 65536
#define BATCH 64 /* packets that are read at one end before the other is looked at */

/* A packet on its way; its bytes follow it in the way's memory. */
struct packet {
    uint64_t due_ns;
    uint32_t bytes;
    bool lost;
};

/* One direction. `memory` is a ring of packets: `first` is the next to deliver, `next` is where the
 * next one is stored; a packet is never split, so some bytes at the end may be skipped. */
struct way {
    int from, to;
    uint64_t rate, queue, loss, largest;
    uint64_t free_ns; /* when the line has sent all that is queued */
    uint64_t random;
    uint8_t *memory;
    size_t size, first, next, used;
};

static uint64_t delay_ns;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "wan: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* xorshift64*: the same packets are lost in every run with the same seed. */
static bool is_lost(struct way *way)
{
    way->random ^= way->random >> 12;
    way->random ^= way->random << 25;
    way->random ^= way->random >> 27;
    return (way->random * 0x2545f4914f6cdd1dull >> 32) * 1000000 >> 32 < way->loss;
}

static size_t place_of(uint32_t bytes)
{
    return (sizeof(struct packet) + bytes + 15) & ~(size_t)15;
}

/* Stores what was read into `packet`, unless the queue or the memory is full. */
static void enqueue(struct way *way, const uint8_t *data, uint32_t bytes, uint64_t now)
{
    if (bytes > way->largest || data[0] >> 4 != 4)
        return;
    if (way->free_ns < now)
        way->free_ns = now;
    if (way->rate) {
        const uint64_t queued = (way->free_ns - now) * way->rate / SECOND_NS;
        if (queued + bytes > way->queue)
            return;
        way->free_ns += bytes * SECOND_NS / way->rate;
    }
    const size_t place = place_of(bytes), rest = way->size - way->next, skipped = rest < place ? rest : 0;
    if (way->used + skipped + place > way->size)
        return;
    if (skipped) {
        /* the reader recognizes an end without room for a header by itself */
        if (rest >= sizeof(struct packet))
            *(struct packet *)(void *)(way->memory + way->next) = (struct packet){.bytes = UINT32_MAX};
        way->next = 0;
    }
    struct packet *packet = (void *)(way->memory + way->next);
    *packet = (struct packet){.due_ns = way->free_ns + delay_ns, .bytes = bytes, .lost = is_lost(way)};
    memcpy(packet + 1, data, bytes);
    way->next = (way->next + place) % way->size;
    way->used += skipped + place;
}

/* The next packet to deliver; NULL if there is none. */
static struct packet *first_of(struct way *way)
{
    while (way->used > 0) {
        const size_t rest = way->size - way->first;
        struct packet *packet = (void *)(way->memory + way->first);
        if (rest >= sizeof *packet && packet->bytes != UINT32_MAX)
            return packet;
        way->used -= rest;
        way->first = 0;
    }
    return NULL;
}

/* Delivers what is due; returns when the next packet is. */
static uint64_t deliver(struct way *way, uint64_t now)
{
    struct packet *packet;
    while ((packet = first_of(way)) && packet->due_ns <= now) {
        /* a device that is down refuses packets: they are lost on a cut line */
        if (!packet->lost && write(way->to, packet + 1, packet->bytes) < 0 && errno != EIO && errno != EAGAIN && errno != EINVAL)
            give_up("a packet cannot be delivered");
        way->used -= place_of(packet->bytes);
        way->first = (way->first + place_of(packet->bytes)) % way->size;
    }
    return packet ? packet->due_ns : UINT64_MAX;
}

static void receive(struct way *way)
{
    static uint8_t data[PACKET_BYTES];
    for (int i = 0; i < BATCH; i++) {
        const ssize_t bytes = read(way->from, data, sizeof data);
        if (bytes <= 0)
            return;
        enqueue(way, data, (uint32_t)bytes, now_ns());
    }
}

static int make_device(const char *name, const char *netns)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    const int space = open(netns, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0)
        give_up(netns);
    close(space);
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0)
        give_up("/dev/net/tun");
    return device;
}

static uint64_t number(const char *text)
{
    char *end;
    errno = EINVAL;
    const uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        give_up(text);
    return value;
}

static void make_way(struct way *way, char **words, uint64_t seed)
{
    way->rate = number(words[0]);
    way->queue = number(words[1]);
    way->loss = number(words[2]);
    way->largest = number(words[3]);
    way->random = seed * 2 + 1;
    /* what a line without a limit carries within the delay, at 10 Gb/s; headers of small packets */
    const double line = way->rate ? (double)way->rate : 1.25e9;
    way->size = (size_t)(2 * (line * (double)delay_ns / 1e9 + (double)(way->rate ? way->queue : 0))) + (16u << 20);
    way->size &= ~(size_t)15;
    way->memory = malloc(way->size);
    if (!way->memory)
        give_up("memory");
}

int main(int count, char **words)
{
    if (count != 14) {
        fprintf(stderr, "usage: wan NAME DELAY_NS SEED (NETNS RATE QUEUE LOSS LARGEST) twice\n");
        return 2;
    }
    const int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    static struct way ways[2];
    struct pollfd ends[2];
    delay_ns = number(words[2]);
    for (int i = 0; i < 2; i++) {
        ways[i].from = make_device(words[1], words[4 + 5 * i]);
        make_way(&ways[i], words + 5 + 5 * i, number(words[3]) + (uint64_t)i);
        ends[i] = (struct pollfd){.fd = ways[i].from, .events = POLLIN};
    }
    ways[0].to = ways[1].from;
    ways[1].to = ways[0].from;
    if (home < 0 || setns(home, CLONE_NEWNET) != 0) /* a host's network ends with the host */
        give_up("namespace");
    prctl(PR_SET_TIMERSLACK, 1ul);
    puts("ready");
    fflush(stdout);
    for (;;) {
        uint64_t next = UINT64_MAX;
        for (int i = 0; i < 2; i++) {
            const uint64_t due = deliver(&ways[i], now_ns());
            next = due < next ? due : next;
        }
        const uint64_t now = now_ns(), left = next > now ? next - now : 0;
        const struct timespec pause = {.tv_sec = (time_t)(left / SECOND_NS), .tv_nsec = (long)(left % SECOND_NS)};
        if (ppoll(ends, 2, next == UINT64_MAX ? NULL : &pause, NULL) < 0 && errno != EINTR)
            give_up("poll");
        for (int i = 0; i < 2; i++)
            receive(&ways[i]);
    }
}
