#include "transfer/stream.h"

#include "clock.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

_Static_assert(sizeof(struct frame) == 40, "a frame's header has no padding");

/* Whether the other end's kernel still acknowledges: it does so while its process is slow. If that
 * process leaves its window closed, the kernel sends nothing but probes of the window, up to 120 s
 * apart (net/ipv4/tcp_timer.c, tcp_probe_timer), so that the last acknowledgment is old although
 * each probe is answered. */
static enum moved judge_silence(const struct stream *stream, struct stall *stall)
{
    const uint64_t now = clock_mono();
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(stream->socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return MOVED_ALL;
    const bool closed = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
    if (!closed || info.tcpi_probes == 0)
        stall->probed_ns = 0;
    else if (stall->probed_ns == 0)
        stall->probed_ns = now;
    if (closed)
        return stall->probed_ns && now - stall->probed_ns >= stream->silence_ns ? MOVED_SILENT : MOVED_ALL;
    if (now - stall->since_ns < stream->silence_ns || info.tcpi_last_ack_recv * NS_PER_MS < stream->silence_ns)
        return MOVED_ALL;
    return info.tcpi_unacked > 0 && info.tcpi_delivered <= 3 ? MOVED_NOTHING_ACKNOWLEDGED : MOVED_SILENT; /* SYN, greeting */
}

enum moved stream_judge(const struct stream *stream, struct stall *stall)
{
    if (errno == EPIPE || errno == ECONNRESET)
        return MOVED_ENDED;
    if (errno == ETIMEDOUT)
        return MOVED_SILENT;
    if (errno != EAGAIN && errno != EINTR)
        return MOVED_FAILED;
    if (atomic_load(stream->stop))
        return MOVED_STOPPED;
    return judge_silence(stream, stall);
}

static void advance(struct iovec parts[2], size_t moved)
{
    for (int i = 0; i < 2; i++) {
        const size_t here = moved < parts[i].iov_len ? moved : parts[i].iov_len;
        parts[i].iov_base = (char *)parts[i].iov_base + here;
        parts[i].iov_len -= here;
        moved -= here;
    }
}

enum moved stream_send(const struct stream *stream, const struct frame *frame, const void *data, size_t bytes)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)frame, sizeof *frame}, {(void *)(uintptr_t)data, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = bytes ? 2 : 1};
    struct stall stall = {0};
    for (size_t left = sizeof *frame + bytes; left > 0;) {
        ssize_t sent = sendmsg(stream->socket, &message, MSG_NOSIGNAL);
        if (sent == (ssize_t)left)
            return MOVED_ALL;
        if (stall.since_ns == 0 || sent > 0)
            stall = (struct stall){.since_ns = clock_mono()};
        if (sent > 0) {
            left -= (size_t)sent;
            advance(parts, (size_t)sent);
            continue;
        }
        enum moved judged = stream_judge(stream, &stall);
        if (judged != MOVED_ALL)
            return judged;
    }
    return MOVED_ALL;
}

/* Receives all parts; only the first one if that is a frame without data. */
static enum moved receive(const struct stream *stream, struct iovec parts[2], const struct frame *frame)
{
    const size_t whole = parts[0].iov_len + parts[1].iov_len;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = parts[1].iov_len ? 2 : 1};
    for (size_t got = 0; got < whole;) {
        ssize_t more = recvmsg(stream->socket, &message, MSG_WAITALL);
        if (more > 0) {
            got += (size_t)more;
            if (got < whole)
                advance(parts, (size_t)more);
        }
        if (frame && got == sizeof *frame && frame->kind != FRAME_BLOCK)
            return MOVED_ALL;
        if (more == 0)
            return MOVED_ENDED;
        if (more > 0)
            continue;
        if (errno == EPIPE || errno == ECONNRESET)
            return MOVED_ENDED;
        if (errno == ETIMEDOUT)
            return MOVED_SILENT; /* keep-alive probes were not answered */
        if (errno != EAGAIN && errno != EINTR)
            return MOVED_FAILED;
        if (atomic_load(stream->stop))
            return MOVED_STOPPED;
    }
    return MOVED_ALL;
}

enum moved stream_receive(const struct stream *stream, struct frame *frame, void *data, size_t bytes)
{
    struct iovec parts[2] = {{frame, sizeof *frame}, {data, bytes}};
    return receive(stream, parts, frame);
}

enum moved stream_receive_data(const struct stream *stream, void *data, size_t bytes)
{
    struct iovec parts[2] = {{data, bytes}, {NULL, 0}};
    return receive(stream, parts, NULL);
}

uint64_t digest_add(uint64_t digest, uint64_t number, uint32_t crc)
{
    uint64_t word = number * 0x9e3779b97f4a7c15 + crc;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return digest + (word ^ word >> 31);
}
