#include "transfer/report.h"

#include "clock.h"

#include <inttypes.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <stdio.h>
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

static void streams_field(struct text *line, const struct link *link)
{
    struct reading reading;
    const bool known = read_stream(link->sockets[0], &reading);
    json_known(line, "tcp_info_bytes", known ? (int64_t)reading.bytes : -1);
    json_open(line, "streams", '[');
    for (uint64_t i = 0; i < TRANSFER_STREAMS_MOST; i++)
        if (read_stream(link->sockets[i], &reading))
            stream_row(line, i, &reading);
    json_close(line, ']');
}

uint64_t report_rtt(const struct link *link)
{
    struct reading reading;
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < TRANSFER_STREAMS_MOST; i++)
        if (read_stream(link->sockets[i], &reading) && reading.of.info.tcpi_rtt * US_NS < least)
            least = reading.of.info.tcpi_rtt * US_NS;
    return least == UINT64_MAX ? 0 : least;
}

static void stages_field(struct text *line, const struct transfer *transfer)
{
    uint64_t at = 0;
    json_open(line, "stages", '[');
    for (uint64_t stage = 0; stage < transfer->stage_count; stage++) {
        uint64_t bytes = 0, call_ns = 0, full_ns = 0, empty_ns = 0;
        for (uint64_t i = 0; i < transfer->stage_threads[stage]; i++, at++) {
            bytes += atomic_load(&transfer->workers[at].bytes);
            call_ns += atomic_load(&transfer->workers[at].call_ns);
            full_ns += atomic_load(&transfer->workers[at].full_ns);
            empty_ns += atomic_load(&transfer->workers[at].empty_ns);
        }
        json_open(line, NULL, '{');
        json_string(line, "name", stage_names[transfer->stages[stage]]);
        json_uint(line, "threads", transfer->stage_threads[stage]);
        json_uint(line, "bytes", bytes);
        json_uint(line, "call_ns", call_ns);
        json_uint(line, "full_ns", full_ns);
        json_uint(line, "empty_ns", empty_ns);
        json_close(line, '}');
    }
    json_close(line, ']');
}

void report_begin(struct attempt *attempt)
{
    struct transfer *transfer = attempt->own;
    card_find(&transfer->card, transfer->link.local);
    card_read(&transfer->card, &transfer->card_start);
}

static void counter_field(struct text *line, const char *name, bool known, uint64_t now, uint64_t start)
{
    json_known(line, name, known ? (int64_t)(now > start ? now - start : 0) : -1);
}

void report_link(struct attempt *attempt, uint64_t end_ns)
{
    const struct transfer *transfer = attempt->own;
    const struct card_counters *start = &transfer->card_start;
    struct card_counters now;
    card_read(&transfer->card, &now);
    struct text *line = event_begin(attempt->workspace->spool, "link");
    json_uint(line, "trial", attempt->trial->position);
    json_uint(line, "attempt", attempt->trial->attempt);
    json_uint(line, "end_ns", end_ns - attempt->pool.started_ns);
    streams_field(line, &transfer->link);
    stages_field(line, transfer);
    json_known(line, "ring_filled", transfer->ring.count ? (int64_t)atomic_load(&transfer->ring.seen_filled) : -1);
    counter_field(line, "card_rx_bytes", now.has_card, now.rx_bytes, start->rx_bytes);
    counter_field(line, "card_tx_bytes", now.has_card, now.tx_bytes, start->tx_bytes);
    counter_field(line, "card_rx_dropped", now.has_card, now.rx_dropped, start->rx_dropped);
    counter_field(line, "card_tx_dropped", now.has_card, now.tx_dropped, start->tx_dropped);
    counter_field(line, "softnet_dropped", now.has_softnet, now.softnet_dropped, start->softnet_dropped);
    counter_field(line, "softnet_squeezed", now.has_softnet, now.softnet_squeezed, start->softnet_squeezed);
    event_end(attempt->workspace->spool);
}

static int64_t socket_number(const struct link *link, int level, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return link->sockets[0] >= 0 && getsockopt(link->sockets[0], level, option, &value, &size) == 0 ? value : -1;
}

static void link_fields(struct text *line, const struct transfer *transfer)
{
    const struct link *link = &transfer->link;
    char congestion[17] = "";
    socklen_t size = sizeof congestion - 1;
    if (link->sockets[0] < 0 || getsockopt(link->sockets[0], IPPROTO_TCP, TCP_CONGESTION, congestion, &size) != 0)
        congestion[0] = '\0';
    json_bool(line, "listens", link->listens);
    json_string(line, "local_address", link->local[0] ? link->local : NULL);
    json_string(line, "peer_address", link->remote[0] ? link->remote : NULL);
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
    json_string(line, "name", card->name);
    json_known(line, "mtu_bytes", card->mtu);
    json_known(line, "speed_mbps", card->speed_mbps);
    json_known(line, "numa_node", card->numa_node);
    card_read(card, &now);
    counter_field(line, "rx_bytes", now.has_card, now.rx_bytes, start->rx_bytes);
    counter_field(line, "tx_bytes", now.has_card, now.tx_bytes, start->tx_bytes);
    json_close(line, '}');
}

static void digest_field(struct text *line, const char *name, bool known, uint64_t digest)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    json_string(line, name, known ? text : NULL);
}

/* What the threads counted for themselves. */
static void sums_fields(struct text *line, const struct transfer *transfer)
{
    const bool checked = transfer->trial->integrity == INTEGRITY_CRC32C;
    uint64_t ramp_bytes = 0, ramp_ns = 0, blocks = 0, crc_errors = 0, digest = 0, peer_digest = 0;
    bool known = checked && transfer->count > 0, met = known;
    for (uint64_t i = 0; i < transfer->count; i++) {
        const struct worker *worker = &transfer->workers[i];
        const bool streams = worker->kind == STAGE_SEND || worker->kind == STAGE_RECEIVE;
        if (worker->counts) {
            ramp_bytes += worker->ramp_bytes;
            ramp_ns = worker->ramp_ns > ramp_ns ? worker->ramp_ns : ramp_ns;
            blocks += worker->blocks;
        }
        crc_errors += worker->crc_errors;
        if (streams || worker->counts) {
            known = known && worker->finished;
            met = met && (worker->met || !streams);
        }
        if (streams || (transfer->trial->leg == LEG_READ && worker->counts)) {
            digest += worker->digest;
            peer_digest += worker->peer_digest;
        }
    }
    const bool sent = transfer->trial->leg == LEG_TRANSFER;
    json_uint(line, "ramp_bytes", ramp_bytes);
    json_uint(line, "ramp_ns", ramp_ns);
    json_uint(line, "cpu_ns", atomic_load(&transfer->cpu_ns));
    json_uint(line, "blocks", blocks);
    json_uint(line, "crc_errors", crc_errors);
    digest_field(line, "digest", (known || met) && transfer->trial->leg != LEG_WRITE, digest);
    digest_field(line, "peer_digest", met && sent, peer_digest);
}

void report_path(struct attempt *attempt, struct text *line)
{
    const struct transfer *transfer = attempt->own;
    const struct transfer_trial *trial = transfer->trial;
    json_string(line, "role", transfer_roles[trial->role]);
    json_string(line, "leg", transfer_legs[trial->leg]);
    json_string(line, "source", transfer_media[trial->source]);
    json_string(line, "sink", transfer_media[trial->sink]);
    link_fields(line, transfer);
    card_field(line, &transfer->card, &transfer->card_start);
    json_known(line, "rtt_idle_ns", transfer->rtt_idle_ns ? (int64_t)transfer->rtt_idle_ns : -1);
    streams_field(line, &transfer->link);
    stages_field(line, transfer);
    json_uint(line, "ring_buffers", transfer->ring.count);
    json_uint(line, "ring_bytes", transfer->ring.bytes + transfer->memory_bytes);
    sums_fields(line, transfer);
    json_open(line, "connections", '{');
    json_uint(line, "accepted", transfer->link.accepted);
    for (int i = 0; i < REJECTIONS; i++)
        json_uint(line, rejection_names[i], transfer->link.rejected[i]);
    json_close(line, '}');
}
