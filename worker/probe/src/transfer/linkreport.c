#include "transfer/linkreport.h"

#include <linux/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#define US_NS 1000ull

/* TCP_INFO as the kernel returned it; `bytes` is how much it knows. */
struct reading {
    union {
        struct tcp_info info;
        char raw[512];
    } of;
    socklen_t bytes;
};

#define KNOWN(reading, field) ((reading)->bytes >= offsetof(struct tcp_info, field) + sizeof(reading)->of.info.field)
/* A field of a newer kernel is unknown, and null. */
#define FIELD(reading, field, value) (KNOWN(reading, field) ? (int64_t)(value) : -1)
/* tcpi_rcv_wnd (Linux 6.2) follows tcpi_snd_wnd; older headers do not have it. */
#define RCV_WND (offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(uint32_t))

static bool read_stream(int socket, struct reading *reading)
{
    reading->bytes = sizeof reading->of;
    return socket >= 0 && getsockopt(socket, IPPROTO_TCP, TCP_INFO, &reading->of, &reading->bytes) == 0;
}

static int64_t receive_window(const struct reading *reading)
{
    uint32_t window;
    if (reading->bytes < RCV_WND + sizeof window)
        return -1;
    memcpy(&window, reading->of.raw + RCV_WND, sizeof window);
    return window;
}

/* A row of the contract's stream_columns. */
static void stream_row(struct text *line, uint64_t stream, const struct reading *r)
{
    const struct tcp_info *info = &r->of.info;
    const int64_t row[] = {
        (int64_t)stream,
        FIELD(r, tcpi_bytes_sent, info->tcpi_bytes_sent),
        FIELD(r, tcpi_bytes_acked, info->tcpi_bytes_acked),
        FIELD(r, tcpi_bytes_received, info->tcpi_bytes_received),
        FIELD(r, tcpi_bytes_retrans, info->tcpi_bytes_retrans),
        info->tcpi_total_retrans,
        (int64_t)(info->tcpi_rtt * US_NS),
        (int64_t)(info->tcpi_rttvar * US_NS),
        info->tcpi_min_rtt == UINT32_MAX ? -1 : FIELD(r, tcpi_min_rtt, info->tcpi_min_rtt * US_NS),
        (int64_t)info->tcpi_snd_cwnd * info->tcpi_snd_mss,
        (int64_t)info->tcpi_unacked * info->tcpi_snd_mss,
        FIELD(r, tcpi_notsent_bytes, info->tcpi_notsent_bytes),
        FIELD(r, tcpi_snd_wnd, info->tcpi_snd_wnd),
        receive_window(r),
        info->tcpi_rcv_space,
        FIELD(r, tcpi_delivery_rate, info->tcpi_delivery_rate),
        info->tcpi_pacing_rate > INT64_MAX ? -1 : FIELD(r, tcpi_pacing_rate, info->tcpi_pacing_rate),
        FIELD(r, tcpi_busy_time, info->tcpi_busy_time * US_NS),
        FIELD(r, tcpi_rwnd_limited, info->tcpi_rwnd_limited * US_NS),
        FIELD(r, tcpi_sndbuf_limited, info->tcpi_sndbuf_limited * US_NS),
        FIELD(r, tcpi_delivery_rate, info->tcpi_delivery_rate_app_limited),
    };
    json_open(line, NULL, '[');
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        json_known(line, NULL, row[i]);
    json_close(line, ']');
}

void linkreport_streams(struct text *line, const struct link *link)
{
    struct reading reading;
    const bool known = read_stream(link->sockets[link->first], &reading);
    json_known(line, "tcp_info_bytes", known ? (int64_t)reading.bytes : -1);
    json_open(line, "streams", '[');
    for (uint64_t i = 0; i < PATH_STREAMS_MOST; i++)
        if (read_stream(link->sockets[i], &reading))
            stream_row(line, i, &reading);
    json_close(line, ']');
}

static uint64_t idle_rtt(const struct link *link)
{
    struct reading reading;
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < PATH_STREAMS_MOST; i++)
        if (read_stream(link->sockets[i], &reading) && reading.of.info.tcpi_rtt * US_NS < least)
            least = reading.of.info.tcpi_rtt * US_NS;
    return least == UINT64_MAX ? 0 : least;
}

void linkreport_begin(struct link *link)
{
    link->rtt_idle_ns = idle_rtt(link);
    card_find(&link->card, link->local);
    card_read(&link->card, &link->card_start);
}

void linkreport_stage(struct text *line, const char *name, const struct stage_sums *sums)
{
    json_open(line, NULL, '{');
    json_string(line, "name", name);
    json_uint(line, "threads", sums->threads);
    json_uint(line, "bytes", sums->bytes);
    json_uint(line, "call_ns", sums->call_ns);
    json_uint(line, "full_ns", sums->full_ns);
    json_uint(line, "empty_ns", sums->empty_ns);
    json_close(line, '}');
}

void linkreport_counters(struct text *line, const struct link *link)
{
    const struct card_counters *start = &link->card_start;
    struct card_counters now;
    card_read(&link->card, &now);
    card_counter_field(line, "card_rx_bytes", now.has_card, now.rx_bytes, start->rx_bytes);
    card_counter_field(line, "card_tx_bytes", now.has_card, now.tx_bytes, start->tx_bytes);
    card_counter_field(line, "card_rx_dropped", now.has_card, now.rx_dropped, start->rx_dropped);
    card_counter_field(line, "card_tx_dropped", now.has_card, now.tx_dropped, start->tx_dropped);
    card_counter_field(line, "softnet_dropped", now.has_softnet, now.softnet_dropped, start->softnet_dropped);
    card_counter_field(line, "softnet_squeezed", now.has_softnet, now.softnet_squeezed, start->softnet_squeezed);
}

static int64_t socket_number(const struct link *link, int level, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return link->sockets[link->first] >= 0 && getsockopt(link->sockets[link->first], level, option, &value, &size) == 0 ? value : -1;
}

static void connection_fields(struct text *line, const struct link *link)
{
    char congestion[17] = "";
    socklen_t size = sizeof congestion - 1;
    if (link->sockets[link->first] < 0 || getsockopt(link->sockets[link->first], IPPROTO_TCP, TCP_CONGESTION, congestion, &size) != 0)
        congestion[0] = '\0';
    json_bool(line, "listens", link->listens);
    json_string(line, "local_address", link->local[0] ? link->local : NULL);
    json_string(line, "peer_address", link->remote[0][0] ? link->remote[0] : NULL);
    json_known(line, "port", link->port ? (int64_t)link->port : -1);
    json_string(line, "congestion", congestion[0] ? congestion : NULL);
    json_known(line, "mss_bytes", socket_number(link, IPPROTO_TCP, TCP_MAXSEG));
    json_known(line, "send_buffer_bytes", socket_number(link, SOL_SOCKET, SO_SNDBUF));
    json_known(line, "receive_buffer_bytes", socket_number(link, SOL_SOCKET, SO_RCVBUF));
}

static void card_field(struct text *line, const struct card *card, const struct card_counters *start)
{
    struct card_counters now;
    if (!card->name[0]) {
        json_null(line, "card");
        return;
    }
    json_open(line, "card", '{');
    card_fields(line, card);
    card_read(card, &now);
    card_counter_field(line, "rx_bytes", now.has_card, now.rx_bytes, start->rx_bytes);
    card_counter_field(line, "tx_bytes", now.has_card, now.tx_bytes, start->tx_bytes);
    json_close(line, '}');
}

void linkreport_fields(struct text *line, const struct link *link)
{
    connection_fields(line, link);
    card_field(line, &link->card, &link->card_start);
    json_known(line, "rtt_idle_ns", link->rtt_idle_ns ? (int64_t)link->rtt_idle_ns : -1);
    linkreport_streams(line, link);
}

void linkreport_connections(struct text *line, const struct link *link)
{
    json_open(line, "connections", '{');
    json_uint(line, "accepted", link->accepted);
    for (int i = 0; i < REJECTIONS; i++)
        json_uint(line, rejection_names[i], link->rejected[i]);
    json_close(line, '}');
}
