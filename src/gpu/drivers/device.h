/* The operations of a GPU: one table of calls per back end (backend.def), each of which loads its
 * driver at run time. Code above this header does not know which back end it uses. */
#ifndef SWATHE_GPU_DRIVERS_DEVICE_H
#define SWATHE_GPU_DRIVERS_DEVICE_H

#include "base/memory.h"

#include <stdbool.h>

enum { GPU_ID = 32, GPU_NAME = 128, GPU_NOTE = 512, GPU_DEVICES_MAX = 32 };

/* Limits and features of a device, as its driver reports them. */
struct gpu_limits {
    int64_t memory, largest; /* bytes: in total, and of the largest buffer */
    int64_t local, constant; /* bytes: local memory of a work group, constant memory for taps */
    int32_t group;           /* threads of a work group */
    int32_t group_side[3];
    int64_t grid[3];     /* most work groups of a launch */
    bool fma, denormals; /* features of float arithmetic; exact results require both */
    bool doubles;        /* f64 arithmetic with fused multiply-add, denormals, infinities and NaN */
    bool shares_memory;  /* with the host, so that copies can be skipped */
    bool dot4;           /* has an instruction that adds four 8-bit products */
};

struct gpu_info {
    const char *back_end;    /* "opencl" */
    int32_t index;           /* of the device within the back end */
    char id[GPU_ID];         /* back end and index: "opencl:0"; gpu/drivers/devices.c writes it */
    bool is_gpu;             /* false: a CPU behind an OpenCL driver, or another kind of device */
    char name[GPU_NAME];     /* as the driver calls it */
    char driver[GPU_NAME];   /* version; part of the name of a compiled program */
    char location[GPU_NAME]; /* "0000:01:00.0", to recognize a card that two back ends list; "":
                              * unknown */
    char target[GPU_NAME];   /* target of the compiler: "sm_86", "gfx1030"; "" for OpenCL */
    char same[GPU_ID];       /* "cuda:0": the same card in an earlier list; "": none */
    struct gpu_limits limits;
};

/* The devices of a back end, or a `note` that gives the reason why it has none. Listing never
 * fails. */
struct gpu_list {
    int32_t count;
    struct gpu_info devices[GPU_DEVICES_MAX];
    char note[GPU_NOTE];
};

/* A compiled program in the form that the driver loads and that is stored on disk. */
struct gpu_binary {
    void *data; /* allocated by memory_new */
    int64_t size;
};

/* The scalars passed to every kernel, all 32-bit. kernels/device_task.h declares the same struct.
 */
struct gpu_task;

enum { GPU_PLANES_MAX = 4 }; /* planes with separate buffers */

/* One launch of a kernel. Every kernel has the same arguments in this order: in, out, taps, rows,
 * columns, task, then in and out of planes 1, 2, … if each plane has a buffer. OpenCL kernels take
 * constant memory and local memory last. */
struct gpu_launch {
    void *in, *out, *taps, *rows, *columns; /* buffers */
    const struct gpu_task *task;
    int32_t grid[3]; /* work groups */
    int32_t group[3];
    int64_t local_bytes; /* of local memory for kernels that take it from the launch; 0: others */
    void *planes[2 * (GPU_PLANES_MAX - 1)];
    int32_t plane_buffers; /* entries of `planes` in use */
};

struct gpu_calls {
    void (*list)(struct gpu_list *list);
    swathe_status (*open)(const struct memory *memory, int32_t index, void **device);
    void (*close)(void *device);

    /* Compiles with the driver's own compiler. `options` holds `count` strings such as
     * "-DNAME=VALUE"; the back end adds those that its arithmetic requires. The error text ends
     * with the compiler's log. */
    swathe_status (*compile)(void *device, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary);
    /* Makes a binary ready to launch, with `constant` in its constant memory (size 0: none). */
    swathe_status (*load)(void *device, const struct gpu_binary *binary, const char *kernel,
                          const void *constant, int64_t size, void **program);
    void (*unload)(void *device, void *program);
    /* The largest work group, in threads, that this kernel can have on this device. */
    int32_t (*group_most)(void *device, void *program);

    swathe_status (*new_buffer)(void *device, int64_t bytes, void **buffer);
    void (*free_buffer)(void *device, void *buffer);
    /* Allocates page-aligned host memory from and to which the driver copies directly. */
    swathe_status (*new_host)(void *device, int64_t bytes, void **host);
    void (*free_host)(void *device, void *host);

    /* A queue executes commands in order; different queues may overlap. All calls except finish
     * return at once, or, for memory that is not from new_host, as soon as the driver allows. Host
     * memory must not change before finish, which reports all earlier failures. */
    swathe_status (*new_queue)(void *device, bool timed, void **queue);
    void (*free_queue)(void *device, void *queue);
    swathe_status (*upload)(void *queue, void *buffer, int64_t offset, const void *host,
                            int64_t bytes);
    swathe_status (*download)(void *queue, void *buffer, int64_t offset, void *host, int64_t bytes);
    swathe_status (*launch)(void *queue, void *program, const struct gpu_launch *launch);
    swathe_status (*finish)(void *queue);
    /* The seconds that all launches of a timed queue have taken so far, by the device's own clock.
     * Call it after finish. */
    double (*launch_seconds)(void *queue);
};

struct gpu_back_end {
    const char *name, *summary;
    const struct gpu_calls *calls;
};

/* NULL past the end. A card that several back ends list is used through the first of them. */
const struct gpu_back_end *gpu_back_end_at(int index);
const struct gpu_back_end *gpu_back_end_named(const char *name);

#if SWATHE_TESTS
/* Replaces the calls of a back end for all devices that are opened afterwards. NULL restores its
 * own calls. Must not be called while other threads use devices. */
void gpu_back_end_wrap(const char *name, const struct gpu_calls *calls);
#endif

/* An open device. */
struct gpu_device {
    const struct memory *memory;
    const struct gpu_calls *calls;
    struct gpu_info info;
    void *handle;                  /* as the back end returned it */
    int64_t process;               /* that opened it: drivers do not survive fork */
    struct gpu_programs *programs; /* compiled programs */
    const char *program_directory; /* directory of compiled programs */
};

/* ---- Errors of drivers ----------------------------------------------------------------------- */

/* Errors of drivers as statuses. Each text names the call, the driver's name for the error, and a
 * way out. */

enum { FAILURE_NAME = 64 };

/* `memory`: the device was out of memory. */
swathe_status failure_of(const char *call, const char *error, bool memory);
swathe_status failure_compile(const char *compiler, const char *error, const char *log);

/* Fails if the device cannot allocate a buffer of this size. */
swathe_status failure_if_too_large(int64_t bytes, const struct gpu_info *info);

/* Fails because the back end has no device of this index, as in "opencl:7". */
swathe_status failure_no_device(const char *back_end, int32_t index, const struct gpu_list *list);

/* ---- Programs -------------------------------------------------------------------------------- */

/* Programs that are ready to launch: compiled, or loaded from memory or disk. */

/* Creates the store of a device's binaries that this process keeps in memory. */
swathe_status gpu_programs_create(const struct memory *memory, struct gpu_programs **programs);
/* NULL is allowed. */
void gpu_programs_destroy(struct gpu_programs *programs);

/* Makes a program ready to launch. Any number of threads may call it. A file on disk is used only
 * if it is complete and the driver accepts it. Failure to write one is not an error. */
swathe_status gpu_program_make(struct gpu_device *device, const char *source,
                               const char *const *options, int32_t count, const char *kernel,
                               const void *constant, int64_t constant_bytes, void **program);

/* ---- Programs on disk ------------------------------------------------------------------------ */

/* Compiled programs on disk, one file each. */

/* The key of a program: two hashes of everything that it depends on. */
struct program_key {
    uint64_t sums[2];
};

/* False if there is no complete file. `directory` is a path, "off", or NULL: $SWATHE_GPU_CACHE if
 * set, otherwise the user's cache. */
bool program_file_read(const struct memory *memory, const char *directory,
                       const struct program_key *key, struct gpu_binary *binary);
/* Errors are ignored: the program is then compiled again next time. */
void program_file_write(const struct memory *memory, const char *directory,
                        const struct program_key *key, const struct gpu_binary *binary);

/* ---- Back ends ------------------------------------------------------------------------------- */

/* The calls and the name of each back end. */

#define BACK_END(id, name, summary)                                                                \
    extern const struct gpu_calls gpu_calls_##id;                                                  \
    extern const char gpu_name_##id[];
#include "gpu/drivers/backend.def"
#undef BACK_END

#endif
