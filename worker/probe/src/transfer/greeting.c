#include "transfer/greeting.h"

#include <string.h>
#include <sys/random.h>

/* The first bytes of each end's first message. */
#define WORD 8
static const char challenge_word[] = "assay-c1", claim_word[] = "assay-p2";

static void put_number(uint8_t *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t get_number(const uint8_t *from)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | from[i];
    return number;
}

/* The HMAC over the listener's random bytes and the claim without its HMAC, or the whole claim and
 * the reply: as the messages differ in length and in their first word, none can stand for
 * another. */
static void claim_mac(const struct greeting *greeting, uint8_t mac[SHA256_BYTES])
{
    uint8_t message[NONCE_BYTES + CLAIM_BYTES];
    memcpy(message, greeting->listener_nonce, NONCE_BYTES);
    memcpy(message + NONCE_BYTES, greeting->claim, CLAIM_BYTES - SHA256_BYTES);
    hmac_sha256(greeting->token, message, NONCE_BYTES + CLAIM_BYTES - SHA256_BYTES, mac);
}

static void reply_mac(const struct greeting *greeting, const uint8_t number[8], uint8_t mac[SHA256_BYTES])
{
    uint8_t message[NONCE_BYTES + CLAIM_BYTES + 8];
    memcpy(message, greeting->listener_nonce, NONCE_BYTES);
    memcpy(message + NONCE_BYTES, greeting->claim, CLAIM_BYTES);
    memcpy(message + NONCE_BYTES + CLAIM_BYTES, number, 8);
    hmac_sha256(greeting->token, message, sizeof message, mac);
}

bool greeting_challenge(struct greeting *greeting, uint8_t message[CHALLENGE_BYTES])
{
    memcpy(message, challenge_word, WORD);
    if (getrandom(greeting->listener_nonce, NONCE_BYTES, 0) != NONCE_BYTES)
        return false;
    memcpy(message + 8, greeting->listener_nonce, NONCE_BYTES);
    return true;
}

bool greeting_claim(struct greeting *greeting, const uint8_t challenge[CHALLENGE_BYTES], uint64_t stream,
                    const struct terms *terms)
{
    uint8_t *at = greeting->claim;
    if (memcmp(challenge, challenge_word, WORD) != 0)
        return false;
    memcpy(greeting->listener_nonce, challenge + 8, NONCE_BYTES);
    if (getrandom(greeting->own_nonce, NONCE_BYTES, 0) != NONCE_BYTES)
        return false;
    memcpy(at, claim_word, WORD);
    memcpy(at + 8, greeting->own_nonce, NONCE_BYTES);
    put_number(at + 8 + NONCE_BYTES, stream);
    for (int i = 0; i < TERMS; i++)
        put_number(at + 16 + NONCE_BYTES + 8 * i, terms->value[i]);
    claim_mac(greeting, at + CLAIM_BYTES - SHA256_BYTES);
    return true;
}

enum claim greeting_check(const struct greeting *greeting, uint64_t *stream, struct terms *terms)
{
    const uint8_t *at = greeting->claim;
    uint8_t mac[SHA256_BYTES];
    if (memcmp(at, claim_word, WORD) != 0)
        return CLAIM_MALFORMED;
    claim_mac(greeting, mac);
    if (!mac_equals(mac, at + CLAIM_BYTES - SHA256_BYTES))
        return CLAIM_FORGED;
    *stream = get_number(at + 8 + NONCE_BYTES);
    for (int i = 0; i < TERMS; i++)
        terms->value[i] = get_number(at + 16 + NONCE_BYTES + 8 * i);
    return CLAIM_GOOD;
}

void greeting_reply(const struct greeting *greeting, enum reply reply, uint8_t message[REPLY_BYTES])
{
    put_number(message, reply);
    reply_mac(greeting, message, message + 8);
}

enum reply greeting_replied(const struct greeting *greeting, const uint8_t message[REPLY_BYTES])
{
    uint8_t mac[SHA256_BYTES];
    const uint64_t number = get_number(message);
    reply_mac(greeting, message, mac);
    return number < REPLY_FORGED && mac_equals(mac, message + 8) ? (enum reply)number : REPLY_FORGED;
}
