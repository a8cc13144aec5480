/* SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for messages that are in memory. */
#ifndef ASSAY_SHA256_H
#define ASSAY_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* `bytes` of the message are at most HMAC_MESSAGE. */
#define HMAC_MESSAGE 512
void hmac_sha256(const uint8_t key[SHA256_BYTES], const void *message, size_t bytes, uint8_t mac[SHA256_BYTES]);

/* Compares in a time that does not depend on the content. */
bool mac_equals(const uint8_t one[SHA256_BYTES], const uint8_t other[SHA256_BYTES]);

#endif
