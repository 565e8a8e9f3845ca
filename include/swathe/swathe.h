/*
 * Swathe: exact, fast image filtering by 2D convolution.
 *
 * This header and streams.h, which it includes, are the C interface and its manual; unstable.h has
 * functions that may change. A program that sharpens a photo:
 *
 *     #include <swathe/swathe.h>
 *     int main(void)
 *     {
 *         swathe_context *context;
 *         swathe_image photo = SWATHE_INIT(swathe_image), sharp = photo;
 *         return swathe_context_create(NULL, &context) ||
 *                swathe_load(context, "photo.jpg", NULL, &photo, NULL) ||
 *                swathe_filter(context, "sharpen,gaussian:5", &photo, &sharp) ||
 *                swathe_save(context, &sharp, NULL, "sharp.png", NULL);
 *     }
 *
 * To run one chain over many images, or with options, call swathe_chain_parse and
 * swathe_plan_create once, then swathe_run for each image, from any number of threads; images of
 * any size go from a source to a sink with swathe_run_stream.
 *
 * Rules that hold for every function:
 * - A function that can fail returns a swathe_status. Results are stored through the last pointers,
 *   and only on success. After a failure, swathe_error_get() describes it, for the calling thread.
 * - Every public struct starts with struct_size. Initialise it with SWATHE_INIT, as in
 *   `swathe_plan_options o = SWATHE_INIT(swathe_plan_options);`. This sets all other fields to 0,
 *   which always means "the default". Programs compiled with an older header keep working. Only
 *   swathe_rect and swathe_shape have no struct_size: their size never changes, and `= {0}` clears
 *   them.
 * - Structs grow at their end. Calls refuse fields that are set and unknown to this library. If you
 *   copy a struct that the library gave you, set its struct_size again: yours may be shorter.
 *   Enumerations are 32-bit integers; later versions may add values.
 * - The caller destroys what it creates. Every _destroy function accepts NULL. Views refer to the
 *   caller's memory and do not own it.
 * - Sizes, coordinates and strides are 64-bit. Strides are in bytes and may be negative.
 * - Callbacks that can fail return a swathe_status. A number that is not listed below counts as
 *   SWATHE_ERROR_ARGUMENT. No C++ exception and no longjmp may leave a callback. A callback may
 *   call the library, but must not use the object that called it: a reader whose read_at reads its
 *   own source waits for itself forever.
 */
#ifndef SWATHE_SWATHE_H
#define SWATHE_SWATHE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SWATHE_VERSION_MAJOR 0
#define SWATHE_VERSION_MINOR 1
#define SWATHE_VERSION_PATCH 0
#define SWATHE_CONTRACT      3 /* see swathe_contract */
#define SWATHE_VERSION_NUMBER                                                                      \
    (SWATHE_VERSION_MAJOR * 10000 + SWATHE_VERSION_MINOR * 100 + SWATHE_VERSION_PATCH)

#if defined(SWATHE_API) /* on Windows, programs that use swathe.dll define SWATHE_DLL */
#elif defined(_WIN32) && defined(SWATHE_DLL)
#define SWATHE_API __declspec(dllimport)
#elif defined(_WIN32)
#define SWATHE_API
#else
#define SWATHE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define SWATHE_INIT(type)                                                                          \
    ([] {                                                                                          \
        type made = type();                                                                        \
        made.struct_size = sizeof(type);                                                           \
        return made;                                                                               \
    }())
#else
#define SWATHE_INIT(type) ((type){.struct_size = sizeof(type)})
#endif

/* ---- Status and errors ---------------------------------------------------------------------- */

/* Each value is also an exit code of the `swathe` command, which uses 1 for "the images differ" and
 * "some images failed". */
typedef int32_t swathe_status;
enum {
    SWATHE_OK = 0,
    SWATHE_ERROR_ARGUMENT = 2, /* the call, an option or the chain is wrong */
    SWATHE_ERROR_INPUT = 3,    /* the image data is damaged or not an image */
    SWATHE_ERROR_LIMIT = 4,    /* a limit that you can raise was exceeded: swathe_error.subject */
    SWATHE_ERROR_IO = 5,       /* the operating system failed to read or write */
    SWATHE_ERROR_MEMORY = 6,   /* an allocation failed */
    SWATHE_ERROR_UNSUPPORTED = 7, /* valid, but not possible in this build or combination */
    SWATHE_ERROR_CANCELLED = 8,   /* a callback asked to stop */
    SWATHE_ERROR_INTERNAL = 9     /* a bug in Swathe; please report it */
};

/* A failure, in fields that programs can use without parsing its text. */
typedef struct swathe_error {
    size_t struct_size;
    swathe_status status;
    int32_t system;      /* errno of a failed system call; 0: none */
    const char *text;    /* what is wrong, with the value and the limit; never NULL */
    const char *subject; /* the limit or the option to change: the name of its field in a struct of
                            options, such as "max_pixels"; NULL: none */
    int64_t needed;      /* the smallest value of the subject that suffices; 0: unknown */
} swathe_error;

/* The last failure of this thread; its status is SWATHE_OK if there was none. Its strings are valid
 * until the next failing call of this thread. */
SWATHE_API swathe_status swathe_error_get(swathe_error *error);

/* For your own callbacks: records the reason of a failure. Returns the error's status. */
SWATHE_API swathe_status swathe_error_record(const swathe_error *error);

/* The last failure's text alone. Never NULL. */
static inline const char *swathe_error_text(void)
{
    swathe_error error;
    error.struct_size = sizeof error;
    return swathe_error_get(&error) == SWATHE_OK ? error.text : "";
}

/* Records a status and a text, so that a callback can write `return
 * swathe_error_set(SWATHE_ERROR_IO, "camera unplugged");`. */
static inline swathe_status swathe_error_set(swathe_status status, const char *text)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    error.status = status;
    error.text = text;
    return swathe_error_record(&error);
}

/* The name of a status, such as "bad input"; "unknown" for other numbers. */
SWATHE_API const char *swathe_status_name(swathe_status status);
/* The version of the library in use, as MAJOR.MINOR.PATCH. The macros are that of the header. */
SWATHE_API const char *swathe_version(void);

/* The same as a number, to compare with SWATHE_VERSION_NUMBER. */
static inline int32_t swathe_version_number(void)
{
    int32_t number = 0, part = 0;
    for (const char *at = swathe_version(); *at; at++) {
        number = *at == '.' ? number * 100 : number + 9 * part + (*at - '0');
        part = *at == '.' ? 0 : 10 * part + (*at - '0');
    }
    return number;
}

/* The version of the rules that define all results (the contract, docs/numerics.md). Libraries with
 * the same contract compute the same bytes. */
SWATHE_API int32_t swathe_contract(void);

/* ---- Tables --------------------------------------------------------------------------------- */

/* Tables of what this build supports, for help texts, completion and bindings. */
typedef int32_t swathe_table;
enum {
    SWATHE_TABLE_FILTERS,    /* named filters of a chain */
    SWATHE_TABLE_OPTIONS,    /* key=value arguments that every filter takes */
    SWATHE_TABLE_BORDERS,    /* border modes */
    SWATHE_TABLE_TYPES,      /* sample types */
    SWATHE_TABLE_ALGORITHMS, /* ways to compute a stage */
    SWATHE_TABLE_ISAS,       /* instruction sets; available = this CPU has it */
    SWATHE_TABLE_FORMATS,    /* file formats; available = built in */
    SWATHE_TABLE_STATUSES,   /* statuses; value = the number, which is also the exit code */
    SWATHE_TABLE_LIMITS,     /* limits on input files; name = the field, value = the default */
    SWATHE_TABLE_BACK_ENDS,  /* GPU drivers that are searched for at run time */
    SWATHE_TABLE_STRATEGIES  /* ways to filter on a GPU; detail = what is loaded from where */
};

typedef struct swathe_table_entry {
    size_t struct_size;
    const char *name;    /* as written in a chain or an option */
    const char *syntax;  /* its arguments, or for a format its file name extensions */
    const char *summary; /* one line */
    const char *detail;  /* its definition, or for a format the options for writing that it
                            supports, as in "quality compression"; may be empty */
    const char *example; /* may be empty */
    int64_t value;       /* a number that belongs to the entry; 0: none */
    int32_t available;   /* 0: exists, but not usable in this build or on this machine */
    const char *keeps;   /* for a format the metadata that it stores, some of "icc", "rgb-icc" (RGB
                            images only), "exif", "xmp", "resolution" and "geo"; may be empty */
    const char *library; /* for a format the libraries that read and write it, with versions, such
                            as "libpng 1.6.39 zlib 1.2.13"; may be empty */
} swathe_table_entry;

/* Entry `index` of a table, from 0. SWATHE_ERROR_ARGUMENT past the end. */
SWATHE_API swathe_status swathe_table_get(swathe_table table, int32_t index,
                                          swathe_table_entry *entry);

/* ---- Context -------------------------------------------------------------------------------- */

typedef struct swathe_context swathe_context;

typedef struct swathe_context_options {
    size_t struct_size;
    int64_t max_memory; /* bytes that a run or an open file may allocate; 0: half of the memory that
                           is free when the context is created */

    /* Your own allocator, used for all allocations of the library itself; NULL: the C library's.
     * `align` is a power of two. */
    void *(*allocate)(void *user, size_t size, size_t align);
    void (*release)(void *user, void *block);
    void *allocator_user;

    /* Your own parallel-for (OpenMP, TBB, a thread pool) instead of the context's threads: call
     * work(work_user, i) once for every i in 0..count-1, in any order, concurrently, and return
     * when all are done. Otherwise the run fails with SWATHE_ERROR_ARGUMENT. NULL: the context's
     * threads, started by the first run that uses them. */
    void (*parallel_for)(void *user, int32_t count, void (*work)(void *work_user, int32_t i),
                         void *work_user);
    void *parallel_user;

    /* File with measurements of this machine (wisdom, see unstable.h); "off": none; NULL:
     * $SWATHE_WISDOM if set, otherwise swathe/wisdom in the user's cache directory. */
    const char *wisdom;
    /* Directory of compiled GPU programs; "off": none, so that each new context compiles them
     * again, unless the driver caches them; NULL: $SWATHE_GPU_CACHE if set, otherwise swathe/gpu in
     * the user's cache directory. */
    const char *programs;
    /* Plans to keep for later calls with the same chain, shape and options, of at most 64 MiB
     * without memory of GPUs; 0: 64, -1: none. Never kept: with curves, for the device "auto", with
     * SWATHE_VALUES_FIT, with masks in memory of more than about 30,000 taps. */
    int32_t cached_plans;
    int32_t threads; /* size of the pool; 0: one per CPU this process may use */
} swathe_context_options;

/* A context owns the allocator, the threads and the caches. A process may have any number, but one
 * is usually enough: several threads may use one context at once. */
SWATHE_API swathe_status swathe_context_create(const swathe_context_options *options,
                                               swathe_context **context);
/* Call after everything created with the context was destroyed.
 * A child of fork has no threads of its parent's contexts. It may destroy what it inherited, and
 * create contexts of its own. If no other thread was inside a call of the library at the fork, it
 * may also use what it inherited: runs then take one thread. Plans for a GPU can only be
 * destroyed. */
SWATHE_API void swathe_context_destroy(swathe_context *context);

/* ---- Images --------------------------------------------------------------------------------- */

typedef int32_t swathe_type;
enum {
    SWATHE_TYPE_DEFAULT = 0, /* in options: the source's type */
    SWATHE_U8 = 1,
    SWATHE_U16 = 2,
    SWATHE_S16 = 3,
    SWATHE_F32 = 4,
    SWATHE_U32 = 5,
    SWATHE_S32 = 6,
    SWATHE_F64 = 7
};

typedef int32_t swathe_layout;
enum {
    SWATHE_INTERLEAVED = 0, /* RGBRGBRGB */
    SWATHE_PLANAR = 1       /* RRR…GGG…BBB… */
};

typedef int32_t swathe_color;
enum {
    SWATHE_COLOR_UNKNOWN = 0,
    SWATHE_COLOR_GREY = 1,
    SWATHE_COLOR_RGB = 2,
    SWATHE_COLOR_CMYK = 3, /* 0 = no ink */
    SWATHE_COLOR_LAB = 4
};

/* A rectangle in pixels. */
typedef struct swathe_rect {
    int64_t x, y, width, height;
} swathe_rect;

/* The properties of an image, without its samples. */
typedef struct swathe_shape {
    int64_t width, height;
    int32_t channels;
    swathe_type type;
    swathe_color color;
    int32_t alpha;        /* 1 + index of the alpha channel; 0: none */
    uint64_t reserved[4]; /* 0; for a later version: missing data */
} swathe_shape;

/* A view of samples in the caller's memory, whole or a tile of a larger image. Sample (x, y, c) of
 * the view is at data + y·row_stride + x·pixel_stride + c·channel_stride. Data and strides are
 * multiples of the sample size. A source may repeat samples (stride 0); in a destination no two
 * samples may overlap: each stride must be at least the extent of the axes with smaller strides. */
typedef struct swathe_image {
    size_t struct_size;
    void *data; /* the view's first pixel, channel 0 */
    int64_t width, height;
    int64_t row_stride, pixel_stride, channel_stride;
    int32_t channels;
    swathe_type type;
    int64_t x, y;                    /* position of the view in the full image */
    int64_t full_width, full_height; /* 0: the view is the full image */
    swathe_color color;
    int32_t alpha; /* 1 + index of the alpha channel; 0: none */
} swathe_image;

/* The size of a dense image of this shape in bytes; SWATHE_ERROR_LIMIT if it exceeds 2^63. */
SWATHE_API swathe_status swathe_shape_bytes(const swathe_shape *shape, int64_t *bytes);

/* Initialises a view of dense samples of this shape and layout. Images that are only read may be in
 * constant memory: the library never writes to a source. */
SWATHE_API swathe_status swathe_image_init(const swathe_shape *shape, swathe_layout layout,
                                           void *data, swathe_image *image);

/* Filters an image by a chain such as "sharpen,gaussian:5" (see Chains). The result has the type of
 * `destination`, or the chain's own if that is SWATHE_TYPE_DEFAULT. If its data is NULL, as
 * SWATHE_INIT sets it, the library allocates the result, of at most the context's max_memory, and
 * fills in the whole view: free it with swathe_free(context, destination->data). */
SWATHE_API swathe_status swathe_filter(swathe_context *context, const char *chain,
                                       const swathe_image *source, swathe_image *destination);

/* Initialises a view of a part of a view: `rect`, in coordinates of the full image. */
SWATHE_API swathe_status swathe_image_crop(const swathe_image *image, const swathe_rect *rect,
                                           swathe_image *tile);

/* ---- Chains --------------------------------------------------------------------------------- */

/* A mask in the caller's memory. */
typedef struct swathe_mask {
    size_t struct_size;
    int32_t width, height;
    int32_t anchor_x, anchor_y; /* used if has_anchor; otherwise (width/2, height/2) */
    int32_t has_anchor;
    int32_t dilate_x, dilate_y; /* distance between the pixels of neighbouring taps; 0: 1 */
    int32_t flip;               /* 1: true convolution (mirror mask and anchor) */
    const double *taps;         /* the coefficients, row by row */
    double bias;
} swathe_mask;

typedef struct swathe_chain swathe_chain;

/* Parses a chain such as "sharpen,gaussian:5,mask:(0 -1 0; -1 5 -1; 0 -1 0):border=wrap".
 * Stages are separated by ','. A stage is name[:argument]…; arguments that contain ',' ':' or
 * spaces need parentheses. An empty text is an empty chain, to which stages can be appended. */
SWATHE_API swathe_status swathe_chain_parse(swathe_context *context, const char *text,
                                            swathe_chain **chain);
/* Parses a text and appends its stages, all or none. */
SWATHE_API swathe_status swathe_chain_append(swathe_context *context, swathe_chain *chain,
                                             const char *text);
/* Appends a stage with masks from memory, which are copied: `count` is 1 for all channels, or one
 * per channel, or with join= any number, all of which apply to every channel. `options` is NULL or
 * the text that would follow the mask in a chain, such as "border=wrap:type=s16". */
SWATHE_API swathe_status swathe_chain_append_mask(swathe_context *context, swathe_chain *chain,
                                                  const swathe_mask *masks, int32_t count,
                                                  const char *options);
/* Plans that were created from the chain stay valid. */
SWATHE_API void swathe_chain_destroy(swathe_chain *chain);

/* The number of stages. */
SWATHE_API int32_t swathe_chain_stages(const swathe_chain *chain);

/* Writes the chain as text that swathe_chain_parse reads, NUL-terminated. Stores the number of
 * bytes required (including the NUL) in `needed`, which may be NULL. If `text` is NULL or `size` is
 * 0, only `needed` is set. SWATHE_ERROR_LIMIT if `size` is smaller: `needed` is set even then, and
 * the text is cut off. */
SWATHE_API swathe_status swathe_chain_text(const swathe_chain *chain, char *text, size_t size,
                                           size_t *needed);

/* The mask of a stage for `channel` (0 if all channels share one), with its coefficients (k in the
 * contract). With join=, `channel` is the number of the mask; in a mix it is a channel of the
 * result, and the taps are the factors of the channels. Functions of one sample (abs) have no mask:
 * SWATHE_ERROR_UNSUPPORTED. The taps belong to the chain. */
SWATHE_API swathe_status swathe_chain_mask(const swathe_chain *chain, int32_t stage,
                                           int32_t channel, swathe_mask *mask);

/* ---- Plans ---------------------------------------------------------------------------------- */

typedef struct swathe_plan swathe_plan;

/* How pixels outside the image are filled: SWATHE_TABLE_BORDERS. */
typedef int32_t swathe_border;
enum {
    SWATHE_BORDER_DEFAULT = 0, /* in options: reflect */
    SWATHE_BORDER_REFLECT = 1,
    SWATHE_BORDER_REFLECT101 = 2,
    SWATHE_BORDER_REPLICATE = 3,
    SWATHE_BORDER_WRAP = 4,
    SWATHE_BORDER_ZERO = 5,
    SWATHE_BORDER_CONSTANT = 6,
    SWATHE_BORDER_MISSING = 7, /* nothing is there, and weighs nothing */
    SWATHE_BORDER_VALID = 8    /* no border: the result is smaller */
};

typedef int32_t swathe_alpha;
enum {
    SWATHE_ALPHA_DEFAULT = 0,     /* premultiply, unless samples have other weights */
    SWATHE_ALPHA_PREMULTIPLY = 1, /* colours are weighted by alpha, which is filtered with them */
    SWATHE_ALPHA_KEEP = 2,        /* alpha is copied */
    SWATHE_ALPHA_FILTER = 3       /* filtered like a colour, unless nodata is "mask" */
};

typedef int32_t swathe_light;
enum {
    SWATHE_LIGHT_DEFAULT = 0, /* keep */
    SWATHE_LIGHT_KEEP = 1,    /* samples are filtered as they are */
    SWATHE_LIGHT_LINEAR = 2,  /* u8 and u16 are filtered as linear light, f32 from 0 to 1, by
                                 `curves` */
    SWATHE_LIGHT_SRGB = 3     /* the same, by sRGB's curve */
};

/* What becomes of the numbers if the plan's type is another than that of the chain's result. */
typedef int32_t swathe_values;
enum {
    SWATHE_VALUES_DEFAULT = 0, /* scale between unsigned integers, otherwise keep */
    SWATHE_VALUES_KEEP = 1,
    SWATHE_VALUES_SCALE = 2, /* the whole range to the whole range */
    SWATHE_VALUES_FIT = 3    /* values_low to the lowest value of the type, values_high to the
                                highest */
};

typedef int32_t swathe_exactness;
enum {
    SWATHE_FAST = 0, /* floats are within the plan's error bound */
    SWATHE_EXACT = 1 /* floats, too, are the same on every machine */
};

/* Algorithm, strategy and instruction set are names from the tables; NULL: chosen by the
 * planner. */
typedef struct swathe_plan_options {
    size_t struct_size;
    swathe_border border; /* for stages that specify none */
    swathe_alpha alpha;
    double border_value; /* of SWATHE_BORDER_CONSTANT */
    swathe_type type;    /* of the result; default: the last stage's type= if set, otherwise the
                            source's */
    swathe_type intermediate; /* between stages; SWATHE_F32 keeps floats, exact ones with `exact`;
                                 default: each stage rounds to its own type */
    swathe_exactness exact;
    int32_t tune;    /* 1: measures the algorithms of each stage, about a second each, uses
                        the fastest and stores the times; no effect if `algorithm` is set
                        or a GPU is named */
    double accuracy; /* floats without `exact`: largest |error| / (Σ|k|·max|p|) that is
                        allowed, by the proven bound of an algorithm; 0: no limit */
    swathe_light light;
    swathe_values values;
    double values_low, values_high; /* of SWATHE_VALUES_FIT */
    const char *nodata;             /* samples that are missing and weigh nothing: a number such as
                                       "-9999"; "nan"; "mask": pixels whose alpha is 0. With ":fill"
                                       results whose centre is missing are computed, too; with
                                       ":least=0.5" half of the weights must be present. NULL: none */
    const char *device;    /* "cpu" (NULL), "gpu" (the first), "opencl:0", "cuda:0", "hip:0";
                              "auto": one that passed its check, if it is faster. Floats are
                              exact on a GPU, so with "auto" and without `exact` their bytes
                              depend on which is chosen */
    const char *algorithm; /* for every stage that it supports; "reference": the definition */
    const char *strategy;  /* on a GPU, for dense masks: a name, or with a block, "tiled:16" */
    const char *isa;       /* highest instruction set to use, such as "avx2" */
    int64_t max_memory;    /* bytes that a run may allocate; 0: the context's limit */
    int64_t device_memory; /* bytes that a run may allocate on a GPU; 0: most of its memory */
    const struct swathe_curves *curves; /* for SWATHE_LIGHT_LINEAR; NULL: sRGB's curve */
    int32_t (*cancelled)(void *user);   /* non-zero: fail with SWATHE_ERROR_CANCELLED; or NULL */
    void *cancel_user;
    const char *arithmetic; /* "contract" (NULL), or that of a report: unstable.h */
} swathe_plan_options;

/* Prepares a chain for images of a shape: chooses types, the algorithm of each stage and the sizes
 * of buffers. A plan is immutable, contains no pixels, and may be run by any number of threads at
 * once. The chain may be destroyed afterwards. */
SWATHE_API swathe_status swathe_plan_create(swathe_context *context, const swathe_chain *chain,
                                            const swathe_shape *source,
                                            const swathe_plan_options *options, swathe_plan **plan);
/* Call after the plan's last run has returned. */
SWATHE_API void swathe_plan_destroy(swathe_plan *plan);

typedef struct swathe_plan_info {
    size_t struct_size;
    swathe_shape source, result;
    int32_t stages;             /* not always those of the chain: a join counts twice, a stage with
                                   weights three times if no algorithm computes it at once; `values` may
                                   add one, `light` two */
    int32_t exact;              /* the bytes are the same on every machine */
    int64_t scratch_bytes;      /* per thread */
    double error_bound;         /* largest distance of a result from exact real arithmetic, if all
                                   float samples are within ±1 and no alpha becomes 0; or infinite */
    double work;                /* sum over its stages: a relative cost */
    double seconds;             /* predicted time of a run on one thread; 0: not known */
    int64_t origin_x, origin_y; /* source pixel at the result's first; not 0 for border valid */
    const char *nodata; /* the value of missing results, "-9999" or "nan"; "mask": alpha 0; NULL:
                           none. Belongs to the plan */
} swathe_plan_info;

typedef struct swathe_stage_info {
    size_t struct_size;
    const char *text;      /* of the stage, as in a chain; without the taps of a large mask. The
                              second half of a join has its name, the stage that `values` adds
                              "values=…" */
    const char *algorithm; /* that was chosen */
    const char *isa;       /* instruction set of its kernels */
    swathe_border border;
    swathe_type input, output;
    int64_t width, height;             /* of its result */
    int32_t left, right, above, below; /* halo: input pixels read around an output pixel */
    int64_t taps;                      /* number of non-zero taps, over all passes */
    int32_t fraction_bits;             /* of the integer taps, q in the contract; -1: floats */
    double error_bound; /* of this stage alone, in units of its output (float samples within ±1) */
    double gain;        /* Σ|k|: largest factor by which an error of its input grows */
    double work;        /* relative cost of a result sample as the planner counts it for this
                           algorithm: operations, weighted by their speed. On a GPU and with the
                           reference: the number of taps */
    int64_t ring_bytes; /* ring buffer of rows, per thread */
} swathe_stage_info;

/* The properties of the whole plan: shapes, memory, error bound. */
SWATHE_API swathe_status swathe_plan_get(const swathe_plan *plan, swathe_plan_info *info);
/* The properties of one stage, numbered from 0. Strings belong to the plan. */
SWATHE_API swathe_status swathe_plan_stage(const swathe_plan *plan, int32_t stage,
                                           swathe_stage_info *info);
/* The part of the source that a part of the result is computed from. */
SWATHE_API swathe_status swathe_plan_input(const swathe_plan *plan, const swathe_rect *result,
                                           swathe_rect *source);

typedef int32_t swathe_text;
enum {
    SWATHE_TEXT_PEOPLE = 0, /* a table */
    SWATHE_TEXT_JSON = 1
};

/* Describes a plan as text; `text`, `size` and `needed` as in swathe_chain_text. */
SWATHE_API swathe_status swathe_plan_text(const swathe_plan *plan, swathe_text format, char *text,
                                          size_t size, size_t *needed);

/* ---- Devices -------------------------------------------------------------------------------- */

/* GPUs are found at run time, through the drivers that are installed: OpenCL, CUDA, HIP. Their
 * results have the same bytes as the CPU's. Float results are always exact; a device that cannot
 * compute them exactly refuses stages that are summed in floats. */

/* A device, or why a back end has none. Strings are never NULL and belong to the context. */
typedef struct swathe_device_info {
    size_t struct_size;
    const char *back_end;   /* a name from the table */
    const char *device;     /* for swathe_plan_options.device, such as "opencl:0"; empty: this entry
                               is only a note about the back end */
    const char *note;       /* why there are no devices, or not all; empty for a device */
    const char *name;       /* as the driver calls the device */
    const char *driver;     /* version */
    const char *target;     /* of its compiler, such as "sm_86"; may be empty */
    const char *same;       /* an earlier device that is the same card, such as "cuda:0"; may be
                               empty */
    int32_t gpu;            /* 0: not a GPU, such as a CPU with an OpenCL driver */
    int32_t exact_floats;   /* 0: sums of floats are refused, because `fma` or `denormals` is 0 */
    int32_t fma, denormals; /* 1: supported in float arithmetic */
    int64_t memory, largest_buffer;        /* bytes */
    int64_t local_memory, constant_memory; /* bytes; local memory is that of one work group */
    int32_t group_threads;                 /* most threads of a work group */
    int32_t exact_doubles; /* 0: sums of doubles are refused (f64, weights, u32 and s32 except for
                              means, some filters of fewer bits): it has no f64 arithmetic */
} swathe_device_info;

/* Entry `index`, from 0: the devices of each back end, then a note if it has no devices or reports
 * a problem. The first call queries all drivers. A missing driver is not an error.
 * SWATHE_ERROR_ARGUMENT past the end. */
SWATHE_API swathe_status swathe_device_get(swathe_context *context, int32_t index,
                                           swathe_device_info *info);

/* ---- Running -------------------------------------------------------------------------------- */

/* How many results of the last filter were outside the range of their type, or of clamp=, before
 * they were clamped. Pixels of a sparse grid are examined, so that it costs next to nothing: below
 * / examined is the share of all samples, about. In small images all pixels are examined. The
 * counts do not depend on threads, cells or spans. */
typedef struct swathe_clamped {
    size_t struct_size;
    int64_t examined; /* samples; 0: no result can be outside, or the run was not on the CPU */
    int64_t below, above;
} swathe_clamped;

typedef struct swathe_run_options {
    size_t struct_size;
    int32_t threads;      /* maximum; 0: the context's. Never changes the result. */
    int64_t cell_rows;    /* rows that a thread computes at a time, and columns that it processes */
    int64_t span_columns; /* together; 0: automatic. They never change the result. */
    swathe_rect region;   /* swathe_run_stream: the part of the result to compute; all 0: all */
    void *scratch;        /* working memory of the run, 64-byte aligned; NULL: allocated */
    int64_t scratch_bytes; /* its size; threads × swathe_plan_info.scratch_bytes suffice, unless
                              span_columns requires more */
    /* Called by all threads, one at a time, several times a second, with the number of result
     * pixels done so far, an estimate by the work that was spent; return non-zero to cancel. */
    int32_t (*progress)(void *user, int64_t done, int64_t total);
    void *progress_user;
    swathe_clamped *clamped;        /* filled if the run succeeds; NULL: not counted */
    struct swathe_run_times *times; /* see unstable.h; NULL: not measured */
} swathe_run_options;

/* Filters one view into another. The destination's x, y, width and height specify the part of the
 * result to compute. The source may be a tile that contains swathe_plan_input of that part. Samples
 * of the two views must not overlap; separate halves of the same rows and separate channels of the
 * same pixels are allowed. */
SWATHE_API swathe_status swathe_run(swathe_context *context, const swathe_plan *plan,
                                    const swathe_image *source, const swathe_image *destination,
                                    const swathe_run_options *options);

#ifdef __cplusplus
}
#endif

#include "streams.h"

#endif
