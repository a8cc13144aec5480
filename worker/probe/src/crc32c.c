#include "crc32c.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected */

/* Data is divided into three parts of this length, whose states do not wait for each other: the
 * instruction takes three cycles, but one can begin in each. */
#define PART 1024

uint32_t crc32c_tables[8][256];

/* The state after PART more bytes of zeros, for each byte of a state; CRC32C is linear. */
static uint32_t part_tables[4][256];

static bool has_instruction(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
#elif defined(__aarch64__)
    return getauxval(AT_HWCAP) & (1ul << 7); /* HWCAP_CRC32 */
#else
    return false;
#endif
}

bool crc32c_prepare(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ POLYNOMIAL : state >> 1;
        crc32c_tables[0][byte] = state;
    }
    for (int table = 1; table < 8; table++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = crc32c_tables[table - 1][byte];
            crc32c_tables[table][byte] = before >> 8 ^ crc32c_tables[0][before & 0xff];
        }
    const bool hardware = has_instruction();
    for (int byte = 0; byte < 4; byte++)
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t state = value << (8 * byte);
            for (int word = 0; word < PART / 8; word++)
                state = crc32c_word(state, 0, hardware);
            part_tables[byte][value] = state;
        }
    return hardware;
}

static uint32_t pass_part(uint32_t state)
{
    return part_tables[0][state & 0xff] ^ part_tables[1][state >> 8 & 0xff] ^ part_tables[2][state >> 16 & 0xff] ^
           part_tables[3][state >> 24];
}

/* The state after three parts. */
static uint32_t three_parts(uint32_t state, const char *at, bool hardware)
{
    uint32_t second = 0, third = 0;
    for (int i = 0; i < PART; i += 8) {
        state = crc32c_at(state, at + i, hardware);
        second = crc32c_at(second, at + PART + i, hardware);
        third = crc32c_at(third, at + 2 * PART + i, hardware);
    }
    return pass_part(pass_part(state) ^ second) ^ third;
}

uint32_t crc32c(uint32_t state, const void *data, size_t bytes, bool hardware)
{
    const char *at = data;
    for (; bytes >= 3 * PART; bytes -= 3 * PART, at += 3 * PART)
        state = three_parts(state, at, hardware);
    for (; bytes >= 8; bytes -= 8, at += 8)
        state = crc32c_at(state, at, hardware);
    for (; bytes > 0; bytes--, at++)
        state = state >> 8 ^ crc32c_tables[0][(state ^ (unsigned char)*at) & 0xff];
    return state;
}
