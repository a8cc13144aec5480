/* A stream: frames over one TCP connection. A frame is a header and, if it has any, its data;
 * the header is in the byte order of both architectures that the probe is built for. */
#ifndef ASSAY_TRANSFER_STREAM_H
#define ASSAY_TRANSFER_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_kind { FRAME_BLOCK = 0x6b6c62, FRAME_END, FRAME_RECEIPT, FRAME_RECORDS, FRAME_ACKNOWLEDGED };

struct frame {
    uint32_t kind;
    uint32_t crc;    /* of a block's data */
    uint64_t number; /* of a block; of an end, 1 if the time limit ended the trial; of records, 1 if they end their batch */
    uint64_t bytes;  /* of the data of a block, or of records */
    uint64_t blocks; /* of an end, its receipt, and an acknowledgement: of this stream so far; of records: how many */
    uint64_t digest; /* of these blocks */
};

struct stream {
    int socket;
    uint64_t silence_ns;
    const atomic_bool *stop;
};

/* How a transfer of a frame ended. */
enum moved { MOVED_ALL, MOVED_STOPPED, MOVED_ENDED, MOVED_SILENT, MOVED_NOTHING_ACKNOWLEDGED, MOVED_FAILED };

/* A send that does not get on: since when, and since when a probe of a closed window is unanswered
 * (0 if none is). */
struct stall {
    uint64_t since_ns, probed_ns;
};

/* What errno of a call that sends means, which was interrupted, or late; MOVED_ALL to go on. `stall` is
 * new after each byte that was sent. */
enum moved stream_judge(const struct stream *stream, struct stall *stall);

/* Sends a frame with `bytes` of data, as one message; MOVED_FAILED leaves errno. */
enum moved stream_send(const struct stream *stream, const struct frame *frame, const void *data, size_t bytes);

/* Receives a frame, whose data, if it is a block, has `bytes`. The header is checked by the
 * caller; MOVED_ENDED if the connection ended before the frame was whole. */
enum moved stream_receive(const struct stream *stream, struct frame *frame, void *data, size_t bytes);

/* Receives the data of a frame whose header was received alone. */
enum moved stream_receive_data(const struct stream *stream, void *data, size_t bytes);

/* Adds a block to a digest, which does not depend on the order of the blocks: a sum of mixes
 * (the finalizer of SplitMix64; Steele, Lea, Flood 2014). */
uint64_t digest_add(uint64_t digest, uint64_t number, uint32_t crc);

#endif
