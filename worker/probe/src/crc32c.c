#include "crc32c.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected */

uint32_t crc32c_tables[8][256];

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
    return has_instruction();
}

uint32_t crc32c(uint32_t state, const void *data, size_t bytes, bool hardware)
{
    const char *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8)
        state = crc32c_at(state, at, hardware);
    for (; bytes > 0; bytes--, at++)
        state = state >> 8 ^ crc32c_tables[0][(state ^ (unsigned char)*at) & 0xff];
    return state;
}
