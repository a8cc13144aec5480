/* The bare loop that transfers are compared with: threads that send from, and receive into, the
 * same few buffers, and do nothing else.
 *
 * bare STREAMS BLOCK BUFFERS SECONDS ADDRESS [PID]: forks a receiver that listens at ADDRESS, and
 * prints bytes received, seconds from the first connection's start to the last byte, and CPU seconds
 * of both processes. The sender is in the network namespace of process PID. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STREAMS_MOST 128

static size_t block, buffers;
static double until;

struct stream {
    int socket;
    uint64_t bytes;
    pthread_t thread;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static char *memory(void)
{
    char *made = aligned_alloc(4096, block * buffers);
    if (!made)
        abort();
    memset(made, 7, block * buffers);
    return made;
}

static void *send_all(void *argument)
{
    struct stream *stream = argument;
    char *data = memory();
    for (size_t turn = 0; now() < until; turn = (turn + 1) % buffers) {
        ssize_t sent = send(stream->socket, data + turn * block, block, MSG_NOSIGNAL);
        if (sent <= 0)
            abort();
        stream->bytes += (uint64_t)sent;
    }
    shutdown(stream->socket, SHUT_WR);
    return NULL;
}

static void *receive_all(void *argument)
{
    struct stream *stream = argument;
    char *data = memory();
    ssize_t got;
    for (size_t turn = 0; (got = recv(stream->socket, data + turn * block, block, MSG_WAITALL)) > 0; turn = (turn + 1) % buffers)
        stream->bytes += (uint64_t)got;
    return NULL;
}

static uint64_t run(struct stream *streams, int count, void *(*work)(void *))
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        if (pthread_create(&streams[i].thread, NULL, work, &streams[i]) != 0)
            abort();
    for (int i = 0; i < count; i++) {
        pthread_join(streams[i].thread, NULL);
        bytes += streams[i].bytes;
    }
    return bytes;
}

static int enter_network_of(const char *pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    const int network = open(path, O_RDONLY | O_CLOEXEC);
    return network < 0 ? -1 : setns(network, CLONE_NEWNET);
}

int main(int many, char **words)
{
    if (many != 6 && many != 7)
        return 2;
    const int count = atoi(words[1]), one = 1;
    static struct stream streams[STREAMS_MOST];
    block = strtoull(words[2], NULL, 10);
    buffers = strtoull(words[3], NULL, 10);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(words[5])};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (count < 1 || count > STREAMS_MOST || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, count) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return 1;
    pid_t receiver = fork();
    if (receiver == 0) {
        for (int i = 0; i < count; i++)
            streams[i].socket = accept(listener, NULL, NULL);
        const double began = now();
        const uint64_t bytes = run(streams, count, receive_all);
        printf("%llu %.6f %.6f ", (unsigned long long)bytes, now() - began, cpu(RUSAGE_SELF));
        return fflush(stdout) != 0;
    }
    if (many == 7 && enter_network_of(words[6]) != 0)
        return 1;
    for (int i = 0; i < count; i++) {
        streams[i].socket = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(streams[i].socket, (struct sockaddr *)&address, size) != 0)
            return 1;
        setsockopt(streams[i].socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    until = now() + atof(words[4]);
    run(streams, count, send_all);
    int status;
    waitpid(receiver, &status, 0);
    printf("%.6f\n", cpu(RUSAGE_SELF));
    return status != 0;
}
