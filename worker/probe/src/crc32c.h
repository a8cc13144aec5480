/* CRC32C (Castagnoli; RFC 3720, appendix B.4) by the processor's instruction if it has one, else
 * by tables. States are raw: the caller begins with CRC32C_BEGIN and inverts the final state, so
 * that two states of equally long data can be combined by XOR. */
#ifndef ASSAY_CRC32C_H
#define ASSAY_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CRC32C_BEGIN 0xffffffffu

extern uint32_t crc32c_tables[8][256];

/* Creates the tables; must be called first. Returns whether this processor has the instruction. */
bool crc32c_prepare(void);

/* The state after eight more bytes, least significant first. */
static inline uint32_t crc32c_word(uint32_t state, uint64_t word, bool hardware)
{
#if defined(__x86_64__)
    if (hardware) {
        /* the instruction ignores the upper half of its operand and clears it */
        __asm__("crc32q %1, %q0" : "+r"(state) : "r"(word));
        return state;
    }
#elif defined(__aarch64__)
    if (hardware) {
        __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(state) : "r"(word));
        return state;
    }
#endif
    (void)hardware;
    word ^= state;
    state = 0;
    for (int byte = 0; byte < 8; byte++)
        state ^= crc32c_tables[7 - byte][(word >> (8 * byte)) & 0xff];
    return state;
}

/* The same for eight bytes in memory, which the instruction loads itself. */
static inline uint32_t crc32c_at(uint32_t state, const char *at, bool hardware)
{
    uint64_t word;
#if defined(__x86_64__)
    if (hardware) {
        __asm__("crc32q %1, %q0" : "+r"(state) : "m"(*(const char(*)[8])at));
        return state;
    }
#endif
    memcpy(&word, at, sizeof word);
    return crc32c_word(state, word, hardware);
}

/* The state after `bytes` more. */
uint32_t crc32c(uint32_t state, const void *data, size_t bytes, bool hardware);

#endif
