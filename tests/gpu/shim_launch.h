/* Stands after the kernels' text: starts SHIM_KERNEL. */
#ifndef TESTS_SHIM_LAUNCH_H
#define TESTS_SHIM_LAUNCH_H

struct shim_thread {
    const int *grid, *group;
    void *const *buffers; /* in, out, taps, rows, columns */
    const struct gpu_job *job;
    unsigned index;
};

static void *shim_thread_run(void *user)
{
    const struct shim_thread *own = (const struct shim_thread *)user;
    unsigned across = (unsigned)own->group[0];
    threadIdx = uint3{own->index % across, own->index / across, 0};
    for (int z = 0; z < own->grid[2]; z++)
        for (int y = 0; y < own->grid[1]; y++)
            for (int x = 0; x < own->grid[0]; x++) {
                blockIdx = uint3{(unsigned)x, (unsigned)y, (unsigned)z};
                SHIM_KERNEL((const in_t *)own->buffers[0], (out_t *)own->buffers[1],
                            (const tap_t *)own->buffers[2], (const int *)own->buffers[3],
                            (const int *)own->buffers[4], *own->job);
                shim_end();
            }
    return NULL;
}

/* 0, or 1 where threads cannot be had. */
extern "C" __attribute__((visibility("default"))) int
shim_launch(const int *grid, const int *group, void *const *buffers, const struct gpu_job *job)
{
    enum { MOST = 1024 };
    static struct shim_thread own[MOST];
    static pthread_t threads[MOST];
    unsigned count = (unsigned)(group[0] * group[1] * group[2]), made = 0;
    shim_group.threads = count;
    if (count > MOST)
        return 1;
    for (; made < count; made++) {
        own[made] = shim_thread{grid, group, buffers, job, made};
        if (pthread_create(&threads[made], NULL, shim_thread_run, &own[made]) != 0) {
            fprintf(stderr, "shim: %u threads cannot be had\n", count);
            _exit(4); /* the others wait for them */
        }
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

#endif
