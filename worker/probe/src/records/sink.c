#include "records/sink.h"

#include "clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES (512ull << 10)
#define ESCAPED 6 /* bytes of \u00XX */
#define SUFFIX "\"}\n"
#define LOOK_NS (50 * NS_PER_MS)

void sink_make(struct sink *sink, const struct records_trial *trial)
{
    pthread_condattr_t attributes;
    sink->trial = trial;
    sink->file = -1;
    pthread_mutex_init(&sink->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sink->synced, &attributes);
    pthread_condattr_destroy(&attributes);
}

void sink_free(struct sink *sink)
{
    pthread_cond_destroy(&sink->synced);
    pthread_mutex_destroy(&sink->mutex);
}

uint64_t json_line_most(const struct recipe *recipe)
{
    return sizeof((struct outlet *)0)->prefix + recipe->bytes * ESCAPED + sizeof SUFFIX;
}

bool outlet_make(struct outlet *outlet, struct sink *sink, const struct recipe *recipe, uint64_t sender)
{
    outlet->sink = sink;
    outlet->recipe = recipe;
    if (sink->trial->format != RECORDS_FORMAT_JSON)
        return true;
    snprintf(outlet->prefix, sizeof outlet->prefix, "{\"sender\":%" PRIu64 ",\"record\":\"", sender);
    outlet->room = TEXT_BYTES + json_line_most(recipe);
    outlet->text = malloc(outlet->room);
    errno = ENOMEM;
    return outlet->text != NULL;
}

void outlet_free(struct outlet *outlet)
{
    free(outlet->text);
    outlet->text = NULL;
}

/* Writes to a range of the file that no other thread has. */
static bool write_out(struct outlet *outlet, const char *data, uint64_t bytes)
{
    struct sink *sink = outlet->sink;
    const uint64_t offset = atomic_fetch_add_explicit(&sink->bytes, bytes, memory_order_relaxed), began = clock_mono();
    for (uint64_t done = 0; sink->file >= 0 && done < bytes;) {
        const ssize_t moved = pwrite(sink->file, data + done, bytes - done, (off_t)(offset + done));
        if (moved == 0)
            errno = EIO; /* nothing was written, without a reason */
        if (moved == 0 || (moved < 0 && (errno != EINTR || atomic_load(&outlet->thread->pool->stop))))
            return false;
        done += moved > 0 ? (uint64_t)moved : 0;
    }
    outlet->write_ns += clock_mono() - began;
    outlet->stored_bytes += bytes;
    return true;
}

static char *escape(char *to, const char *from, uint64_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (uint64_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)from[i];
        if (byte < ' ' || byte > '~')
            to = stpcpy(to, (const char[]){'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15], '\0'});
        else if (byte == '"' || byte == '\\')
            *to++ = '\\', *to++ = (char)byte;
        else
            *to++ = (char)byte;
    }
    return to;
}

/* Appends the line of a record. */
static char *add_line(const struct outlet *outlet, char *to, const char *record, bool plain)
{
    const struct recipe *recipe = outlet->recipe;
    const bool line = recipe->line && (plain || record[recipe->bytes - 1] == '\n');
    const uint64_t bytes = recipe->bytes - line;
    to = stpcpy(to, outlet->prefix);
    if (plain && recipe->bytes > 1) {
        memcpy(to, record, bytes);
        to += bytes;
    } else {
        to = escape(to, record, bytes);
    }
    return stpcpy(to, SUFFIX);
}

static bool put_lines(struct outlet *outlet, const char *records, uint64_t count, bool plain)
{
    char *to = outlet->text, *const full = outlet->text + TEXT_BYTES;
    for (uint64_t i = 0; i < count; i++) {
        to = add_line(outlet, to, records + i * outlet->recipe->bytes, plain);
        if (to < full && i + 1 < count)
            continue;
        if (!write_out(outlet, outlet->text, (uint64_t)(to - outlet->text)))
            return false;
        to = outlet->text;
    }
    return true;
}

bool outlet_put(struct outlet *outlet, const char *records, uint64_t count, bool plain)
{
    return outlet->text ? put_lines(outlet, records, count, plain) : write_out(outlet, records, count * outlet->recipe->bytes);
}

/* Syncs, with the mutex held before and after. */
static void sync_now(struct outlet *outlet)
{
    struct sink *sink = outlet->sink;
    const uint64_t bytes = atomic_load(&sink->bytes), began = clock_mono(), number = ++sink->begun;
    sink->syncing = true;
    atomic_store(&sink->sync_bytes, bytes);
    atomic_store(&sink->sync_began_ns, began);
    pthread_mutex_unlock(&sink->mutex);
    const char *before = thread_enters(outlet->thread, "fdatasync");
    const int error = fdatasync(sink->file) == 0 ? 0 : errno;
    thread_enters(outlet->thread, before);
    const uint64_t took = clock_mono() - began;
    pthread_mutex_lock(&sink->mutex);
    sink->syncing = false;
    sink->done = number;
    sink->error = error ? error : sink->error;
    sink->ns += took;
    sink->max_ns = took > sink->max_ns ? took : sink->max_ns;
    sink->histogram[histogram_index(took)]++;
    pthread_cond_broadcast(&sink->synced);
}

static bool end_sync(struct sink *sink)
{
    const int error = sink->error;
    pthread_mutex_unlock(&sink->mutex);
    errno = error;
    return error == 0;
}

bool outlet_sync(struct outlet *outlet)
{
    struct sink *sink = outlet->sink;
    const atomic_bool *stop = &outlet->thread->pool->stop;
    pthread_mutex_lock(&sink->mutex);
    const uint64_t needed = sink->begun + 1; /* one under way may have begun before the last write */
    while (sink->done < needed && !sink->error && !atomic_load(stop)) {
        if (!sink->syncing) {
            sync_now(outlet);
            continue;
        }
        const struct timespec until = clock_timespec(clock_mono() + LOOK_NS);
        pthread_cond_timedwait(&sink->synced, &sink->mutex, &until);
    }
    if (sink->done < needed && !sink->error) {
        pthread_mutex_unlock(&sink->mutex);
        errno = EINTR;
        return false;
    }
    return end_sync(sink);
}

bool outlet_sync_if_due(struct outlet *outlet)
{
    struct sink *sink = outlet->sink;
    const uint64_t sync_bytes = sink->trial->sync_bytes, sync_ns = sink->trial->sync_ms * NS_PER_MS;
    const bool full = sync_bytes && atomic_load(&sink->bytes) - atomic_load(&sink->sync_bytes) >= sync_bytes;
    if (!full && !(sync_ns && clock_mono() - atomic_load(&sink->sync_began_ns) >= sync_ns))
        return true;
    if (pthread_mutex_trylock(&sink->mutex) != 0)
        return true; /* another thread does it */
    if (!sink->syncing)
        sync_now(outlet);
    return end_sync(sink);
}
