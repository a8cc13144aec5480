#include "cpulist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_number(const char **text, unsigned long *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return *number < CPU_SETSIZE;
}

bool cpulist_parse(const char *text, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    if (!*text)
        return true;
    for (;; text++) {
        unsigned long first, last;
        if (!take_number(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !take_number(&text, &last) || last < first))
            return false;
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, cpus);
        if (*text != ',')
            return *text == '\0';
    }
}

bool cpulist_parse_mask(const char *text, cpu_set_t *cpus)
{
    int cpu = 0;
    CPU_ZERO(cpus);
    for (size_t at = strlen(text); at-- > 0;) {
        static const char digits[] = "0123456789abcdef";
        if (text[at] == ',')
            continue;
        const char *digit = memchr(digits, text[at], sizeof digits - 1);
        if (!digit)
            return false;
        for (int bit = 0; bit < 4; bit++, cpu++)
            if ((digit - digits) >> bit & 1) {
                if (cpu >= CPU_SETSIZE)
                    return false;
                CPU_SET(cpu, cpus);
            }
    }
    return cpu > 0;
}

const char *cpulist_format(const cpu_set_t *cpus, char *text)
{
    size_t length = 0;
    text[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE; first++) {
        int last = first;
        if (!CPU_ISSET(first, cpus))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
            last++;
        const char *format = last == first ? "%s%d" : "%s%d-%d";
        length += (size_t)snprintf(text + length, CPULIST_LENGTH - length, format, length ? "," : "", first, last);
        first = last;
    }
    return text;
}

void cpulist_field(struct text *text, const char *name, bool known, const cpu_set_t *cpus)
{
    char list[CPULIST_LENGTH];
    json_string(text, name, known ? cpulist_format(cpus, list) : NULL);
}
