/* The files of a stream. Its data is one sequence of bytes; they are laid out in one file, in a
 * new file every so many bytes, or in a ring of files that is overwritten, or read again. The files
 * of a sequence have names, because creating an unnamed file costs less. */
#ifndef ASSAY_SUSTAINED_STREAMFILES_H
#define ASSAY_SUSTAINED_STREAMFILES_H

#include "attempt.h"
#include "failure.h"
#include "histogram.h"
#include "sustained/fields.h"
#include "threadpool.h"
#include "workspace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How long calls of one kind took. */
struct timing {
    uint64_t count, sum_ns, max_ns;
};

void timing_add(struct timing *timing, uint64_t ns);
void timing_merge(struct timing *sum, const struct timing *timing);

struct streamfiles {
    struct workspace *workspace;
    const struct sustained_trial *trial;
    uint64_t stream;
    struct thread *thread; /* of the stream: named after the calls */
    int *open;       /* descriptors: of the ring, or the one that is written or read */
    uint64_t count;  /* of them */
    uint64_t number; /* of the file that is written or read, from 0 */
    uint64_t synced; /* files of a sequence before this one are synced */
    uint64_t unsynced;  /* bytes since the last periodic sync; its caller counts them */
    uint64_t synced_ns; /* when that began, or the stream's work */
    uint64_t measured_ns; /* calls that begin earlier are in no figure */
    struct timing create, close, sync; /* `create` is opening in a read, `sync` the periodic one */
    uint64_t sync_histogram[HISTOGRAM_STEPS];
};

/* Creates the files that are open from the start. Called by an errand. */
bool streamfiles_open(struct streamfiles *files, struct failure *failure);

/* Of a read: creates all files with the first `bytes` of the content, so that the device has to
 * serve them, and opens those that are open from the start. Called by an errand. */
bool streamfiles_prepare(struct streamfiles *files, struct attempt *attempt, const struct pattern *pattern,
                         const struct content *content, uint64_t bytes);

/* The number of files of the first `bytes` of the data. */
uint64_t streamfiles_count(const struct streamfiles *files, uint64_t bytes);

/* Goes to the file of `offset` in the stream's data and returns the offset in that file; -1 with
 * errno if the next file cannot be created or opened, or the last one cannot be closed. Adds the time of
 * these calls to `busy_ns`. Offsets must ascend. A file of a ring that is read again is first
 * dropped from the page cache, which counts in no latency. */
int64_t streamfiles_seek(struct streamfiles *files, uint64_t offset, uint64_t *busy_ns);

/* Whether the data at `offset` is in another file than the one before, so that streamfiles_seek makes calls. */
bool streamfiles_changes(const struct streamfiles *files, uint64_t offset);

/* The descriptor of the file that is written or read. */
int streamfiles_current(const struct streamfiles *files);

/* Syncs the file that is written, as a periodic sync; 0 or an errno. Adds its time to `busy_ns`. */
int streamfiles_sync(struct streamfiles *files, uint64_t *busy_ns);

/* Syncs all files; 0 or an errno, EINTR if `stop` is set before all are. */
int streamfiles_sync_all(struct streamfiles *files, const atomic_bool *stop);

/* Bytes of the files of the first `bytes` of the data. */
uint64_t streamfiles_footprint(const struct streamfiles *files, uint64_t bytes);

/* Opens a file that was written, to read it; -1 with errno. The caller closes it. */
int streamfiles_open_again(const struct streamfiles *files, uint64_t number);

/* Closes the files and removes those without a name; workdir_clear removes the others. */
void streamfiles_close(struct streamfiles *files);

#endif
