/* Follows the kernels' text: starts SHIM_KERNEL. */
#ifndef TESTS_SHIM_LAUNCH_H
#define TESTS_SHIM_LAUNCH_H

/* Arguments after the task: planes 1, 2, … of the two images. */
#ifdef SEPARATE
#define SHIM_PLANE(c)                                                                              \
    , (const in_t *)own->buffers[0] + c * own->task->in_plane,                                     \
        (out_t *)own->buffers[1] + c * own->task->out_plane
#define SHIM_PLANES_1
#define SHIM_PLANES_2       SHIM_PLANE(1)
#define SHIM_PLANES_3       SHIM_PLANES_2 SHIM_PLANE(2)
#define SHIM_PLANES_4       SHIM_PLANES_3 SHIM_PLANE(3)
#define SHIM_PLANES_JOIN(n) SHIM_PLANES_##n
#define SHIM_PLANES_OF(n)   SHIM_PLANES_JOIN(n)
#define SHIM_PLANES         SHIM_PLANES_OF(CHANNELS)
#else
#define SHIM_PLANES
#endif

struct shim_thread {
    const int *grid, *group;
    void *const *buffers; /* in, out, taps, rows, columns */
    const struct gpu_task *task;
    unsigned index;
};

static void *shim_thread_run(void *user)
{
    const struct shim_thread *own = (const struct shim_thread *)user;
    unsigned across = (unsigned)own->group[0];
    threadIdx = uint3{own->index % across, own->index / across, 0};
    blockDim = uint3{across, (unsigned)own->group[1], (unsigned)own->group[2]};
    for (int z = 0; z < own->grid[2]; z++)
        for (int y = 0; y < own->grid[1]; y++)
            for (int x = 0; x < own->grid[0]; x++) {
                blockIdx = uint3{(unsigned)x, (unsigned)y, (unsigned)z};
                SHIM_KERNEL((const in_t *)own->buffers[0], (out_t *)own->buffers[1],
                            (const tap_t *)own->buffers[2], (const int *)own->buffers[3],
                            (const int *)own->buffers[4], *own->task SHIM_PLANES);
                shim_end();
            }
    return NULL;
}

/* Returns 0, or 1 if threads cannot be created. */
extern "C" __attribute__((visibility("default"))) int shim_launch(const int *grid, const int *group,
                                                                  void *const *buffers,
                                                                  const struct gpu_task *task,
                                                                  long local)
{
    enum { MOST = 1024 };
    static struct shim_thread own[MOST];
    static pthread_t threads[MOST];
    unsigned count = (unsigned)(group[0] * group[1] * group[2]), made = 0;
    shim_group.threads = count;
    shim_local = (double *)malloc((size_t)local + 1);
    if (count > MOST || !shim_local)
        return 1;
    for (; made < count; made++) {
        own[made] = shim_thread{grid, group, buffers, task, made};
        if (pthread_create(&threads[made], NULL, shim_thread_run, &own[made]) != 0) {
            fprintf(stderr, "shim: cannot create %u threads\n", count);
            _exit(4); /* the other threads wait for them */
        }
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(shim_local);
    return 0;
}

#endif
