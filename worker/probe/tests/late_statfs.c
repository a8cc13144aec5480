/* A library to preload: file systems whose figures lag behind what is written to them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/statvfs.h>

#define MOST 8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct statvfs first[MOST]; /* of each file system */
static size_t count;

static void replace(struct statvfs *found)
{
    for (size_t i = 0; i < count; i++)
        if (first[i].f_fsid == found->f_fsid) {
            *found = first[i];
            return;
        }
    if (count < MOST)
        first[count++] = *found;
}

int fstatvfs(int file, struct statvfs *found)
{
    int (*real)(int, struct statvfs *);
    *(void **)&real = dlsym(RTLD_NEXT, "fstatvfs");
    pthread_mutex_lock(&mutex);
    const int result = real(file, found);
    if (result == 0)
        replace(found);
    pthread_mutex_unlock(&mutex);
    return result;
}
