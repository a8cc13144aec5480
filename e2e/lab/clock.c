/* With libfaketime: sleep by the kernel's clock. Version 0.9.10 refuses every sleep until a moment
 * of the monotonic clock when that clock is not faked, and so each time.sleep of Python. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    return syscall(SYS_clock_nanosleep, clock, flags, until, left) == 0 ? 0 : errno;
}
