/* The greeting of a data connection: both ends prove that they know the run's token, and that they
 * execute the same trial.
 *
 * The listener sends a challenge; the other end answers with a claim, which names its stream and
 * has an HMAC over both ends' random bytes; the listener replies with an HMAC of its own. All
 * messages have a fixed size, and nothing is believed before its HMAC was checked. */
#ifndef ASSAY_TRANSFER_GREETING_H
#define ASSAY_TRANSFER_GREETING_H

#include "sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONCE_BYTES 32
#define TERMS 16
#define CHALLENGE_BYTES (8 + NONCE_BYTES)
#define CLAIM_BYTES (8 + NONCE_BYTES + 8 + 8 * TERMS + SHA256_BYTES)
#define REPLY_BYTES (8 + SHA256_BYTES)

/* What both ends must agree on: job-defined numbers; those that a job does not need are 0. */
struct terms {
    uint64_t value[TERMS];
};

struct greeting {
    const uint8_t *token; /* SHA256_BYTES */
    uint8_t listener_nonce[NONCE_BYTES];
    uint8_t own_nonce[NONCE_BYTES]; /* of the end that connects */
    uint8_t claim[CLAIM_BYTES];
};

enum claim { CLAIM_GOOD, CLAIM_MALFORMED, CLAIM_FORGED };
enum reply { REPLY_ACCEPTED, REPLY_DIFFERS, REPLY_SURPLUS, REPLY_FORGED };

/* The listener's first message; false if the kernel gives no random bytes. */
bool greeting_challenge(struct greeting *greeting, uint8_t message[CHALLENGE_BYTES]);

/* The answer to a challenge; false if that is none. */
bool greeting_claim(struct greeting *greeting, const uint8_t challenge[CHALLENGE_BYTES], uint64_t stream,
                    const struct terms *terms);

/* Checks `greeting->claim` as received; `stream` and `terms` are set only if it is good. */
enum claim greeting_check(const struct greeting *greeting, uint64_t *stream, struct terms *terms);

/* The listener's reply to a good claim. */
void greeting_reply(const struct greeting *greeting, enum reply reply, uint8_t message[REPLY_BYTES]);
enum reply greeting_replied(const struct greeting *greeting, const uint8_t message[REPLY_BYTES]);

#endif
