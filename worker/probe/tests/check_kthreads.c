/* What kernel threads of these names serve, for a target on these devices: NAME... -- DEVICE... */
#include "kthreads.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    static const char *const uses[] = {"target", "others", "unknown"};
    struct device_names stack = {0};
    int end = 1;
    while (end < count && strcmp(words[end], "--") != 0)
        end++;
    for (int i = end + 1; i < count; i++)
        device_names_add(&stack, words[i]);
    for (int i = 1; i < end; i++)
        puts(uses[kthread_use(words[i], &stack)]);
    return 0;
}
