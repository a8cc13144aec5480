/* Threads that write or read files in blocks, with a stand-in for the test data that shows which
 * thread generates or verifies it: never an I/O thread, however many threads share a file. */
#include "blocks.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK 4096
#define MOST 8
#define REPEATS 20 /* the threads meet in another order each time */

struct shape {
    uint64_t threads, files, windows, blocks; /* windows of each thread, blocks of each file */
};

enum course { TO_THE_END, STOPPED, FIRST_BLOCK_HANGS };

struct scene {
    struct shape shape;
    enum course course;
    bool reads;
    struct test_file files[MOST];
    struct dataqueue queues[MOST];
    struct blocks blocks[MOST];
    pthread_barrier_t ready;
    atomic_bool stop;
    _Atomic uint64_t taken; /* blocks of all files */
    _Atomic uint64_t times[MOST][256]; /* that each block was taken */
};

static atomic_int failures;
static _Atomic uint64_t made; /* blocks generated, or verified */
static _Thread_local bool measured;

static void expect(bool good, const char *what, const struct scene *scene, uint64_t number)
{
    if (good)
        return;
    if (failures++ < 20)
        printf("%s, threads=%" PRIu64 " files=%" PRIu64 " windows=%" PRIu64 " blocks=%" PRIu64 " course=%d: %s (%" PRIu64 ")\n",
               scene->reads ? "read" : "write", scene->shape.threads, scene->shape.files, scene->shape.windows,
               scene->shape.blocks, scene->course, what, number);
}

void testdata_fill(const struct pattern *pattern, const struct content *content, uint64_t offset, char *to,
                   uint64_t bytes)
{
    const uint64_t stamp[] = {content->file, offset};
    expect(!measured, "an I/O thread generated data between its calls", (const void *)pattern, offset);
    memset(to, 0, bytes);
    memcpy(to, stamp, sizeof stamp);
    made++;
}

static bool is_stamped(const struct content *content, uint64_t offset, const char *data)
{
    const uint64_t stamp[] = {content->file, offset};
    return memcmp(data, stamp, sizeof stamp) == 0;
}

void testdata_verify(const struct pattern *pattern, const struct content *content, uint64_t offset, const char *from,
                     uint64_t bytes, struct verification *found)
{
    expect(!measured, "an I/O thread verified data between its calls", (const void *)pattern, offset);
    found->corrupt += bytes != BLOCK || !is_stamped(content, offset, from);
    made++;
}

/* For the linker: nothing here asks for the errors seen so far. */
void verification_add(struct verification *sum, const struct verification *found)
{
    (void)sum;
    (void)found;
    abort();
}

/* The first block is held until the other threads have done all others. */
static void hang(struct scene *scene, uint64_t offset)
{
    while (scene->course == FIRST_BLOCK_HANGS && offset == 0 && atomic_load(&scene->taken) < scene->shape.blocks)
        sched_yield();
}

static void *transfer(void *argument)
{
    struct blocks *blocks = argument;
    struct scene *scene = (void *)blocks->pattern;
    const struct content *content = &blocks->file->content;
    struct block block;
    expect(blocks_begin(blocks) == 0, "a data thread could not be started", scene, 0);
    pthread_barrier_wait(&scene->ready);
    measured = true;
    while (blocks_next(blocks, &block)) {
        scene->times[content->file][block.offset / BLOCK]++;
        scene->taken++;
        if (atomic_load(&scene->stop))
            break;
        hang(scene, block.offset);
        bool right = scene->reads || is_stamped(content, block.offset, block.data);
        expect(right, "the data is another block's", scene, block.offset);
        expect(block_move(blocks, &block, &scene->stop) == BLOCK, "a block was not transferred", scene, block.offset);
        right = is_stamped(content, block.offset, block.data);
        expect(right, "the window was used for another block", scene, block.offset);
        blocks_done(blocks, &block);
        if (scene->course == STOPPED && scene->taken > scene->shape.blocks / 2)
            atomic_store(&scene->stop, true);
    }
    measured = false;
    blocks_end(blocks);
    return NULL;
}

static void make_file(struct scene *scene, uint32_t number)
{
    struct test_file *file = &scene->files[number];
    file->file = memfd_create("blocks", MFD_CLOEXEC);
    file->blocks = scene->shape.blocks;
    file->shared = scene->shape.threads > scene->shape.files;
    file->content.file = number;
    for (uint64_t i = 0; scene->reads && i < file->blocks; i++) {
        char data[BLOCK];
        testdata_fill((const void *)scene, &file->content, i * BLOCK, data, BLOCK);
        expect(pwrite(file->file, data, BLOCK, (off_t)(i * BLOCK)) == BLOCK, "a file could not be made", scene, i);
    }
}

static void make_blocks(struct scene *scene, uint64_t number)
{
    const struct shape *shape = &scene->shape;
    uint64_t queue = scene->reads ? number : number % shape->files;
    if (!scene->queues[queue].used) {
        uint64_t threads = scene->reads ? 1 : (shape->threads - queue + shape->files - 1) / shape->files;
        expect(blocks_queue_make(&scene->queues[queue], &scene->files[number % shape->files], scene->reads, threads, shape->windows),
               "no memory", scene, number);
    }
    scene->blocks[number] = (struct blocks){
        .file = &scene->files[number % shape->files],
        .pattern = (const void *)scene, /* handed through to the stand-ins */
        .size = BLOCK,
        .reads = scene->reads,
        .queue = &scene->queues[queue],
        .memory = malloc(shape->windows * BLOCK),
        .stride = BLOCK,
        .windows = shape->windows,
    };
}

/* Each block once; of a stopped file, those from its beginning. */
static void expect_taken(const struct scene *scene)
{
    uint64_t expected = scene->shape.files * scene->shape.blocks;
    for (uint64_t file = 0; file < scene->shape.files; file++)
        for (uint64_t i = 0; i < scene->shape.blocks; i++) {
            uint64_t times = scene->times[file][i];
            expect(times == 1 || (scene->course == STOPPED && times == 0), "a block was not taken once", scene, i);
            expect(times == 0 || i == 0 || scene->times[file][i - 1] == 1, "the block before was left out", scene, i);
        }
    expect(scene->course == STOPPED || scene->taken == expected, "not all blocks were taken", scene, scene->taken);
}

static void play(struct shape shape, enum course course, bool reads)
{
    static struct scene scene;
    pthread_t threads[MOST];
    uint64_t errors = 0;
    memset(&scene, 0, sizeof scene);
    scene.shape = shape;
    scene.course = course;
    scene.reads = reads;
    pthread_barrier_init(&scene.ready, NULL, (unsigned)shape.threads);
    for (uint32_t i = 0; i < shape.files; i++)
        make_file(&scene, i);
    made = 0;
    for (uint64_t i = 0; i < shape.threads; i++)
        make_blocks(&scene, i);
    for (uint64_t i = 0; i < shape.threads; i++)
        pthread_create(&threads[i], NULL, transfer, &scene.blocks[i]);
    for (uint64_t i = 0; i < shape.threads; i++) {
        pthread_join(threads[i], NULL);
        errors += scene.blocks[i].found.corrupt;
    }
    for (uint64_t i = 0; i < shape.threads; i++)
        free(scene.blocks[i].memory); /* also used by the other threads of its file */
    expect_taken(&scene);
    expect(errors == 0, "blocks were verified as others", &scene, errors);
    if (course != STOPPED)
        expect(made == shape.files * shape.blocks, "blocks were generated or verified more or less than once", &scene, made);
    for (uint64_t i = 0; i < MOST; i++)
        dataqueue_free(&scene.queues[i]);
    for (uint64_t i = 0; i < shape.files; i++)
        close(scene.files[i].file);
    pthread_barrier_destroy(&scene.ready);
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 1, 2, 100}, {2, 1, 2, 100}, {2, 2, 2, 100}, {2, 1, 64, 200}, {3, 2, 3, 100},
        {8, 1, 2, 200}, {8, 1, 5, 200}, {8, 1, 4, 3},   {8, 3, 2, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            bool reads = repeat % 2;
            play(shapes[i], TO_THE_END, reads);
            play(shapes[i], STOPPED, reads);
            if (shapes[i].threads > 1 && shapes[i].files == 1)
                play(shapes[i], FIRST_BLOCK_HANGS, reads);
        }
    return failures > 0;
}
