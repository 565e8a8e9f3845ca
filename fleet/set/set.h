/* The records of a set: what every job of it shares, how far it was submitted, and its state. */
#ifndef FLEET_SET_SET_H
#define FLEET_SET_SET_H

#include "set/message.h"
#include "swathe/unstable.h"

enum { SET_TEXT_BYTES = 64 * 1024, SET_URL_BYTES = 4096 };

struct set {
    char name[NAME_BYTES + 1];
    char instance[INSTANCE_DIGITS + 1]; /* random, so that no other set of this name has it */
    char identity[IDENTITY_BYTES + 1];  /* NAME.INSTANCE, in all messages of the set */
    char *chain, *from, *to;
    char *border, *alpha; /* of swathe_plan_options; NULL: the default */
    char *nodata;         /* likewise, or "none"; NULL: that of each image */
    char *manifest;       /* NULL, or the URL of the list of keys */
    int32_t contract;
    char version[32];
    char *codecs;               /* as text: "png=libpng 1.6.39;jpeg=..."; compared whole */
    swathe_write_options write; /* format, quality, lossless, subsampling, compression, tile;
                                   strings are owned by the set */
    int64_t max_pixels, max_memory, max_bytes; /* of an image: pixels, bytes of memory, bytes of the
                                                  file; 0: the default of the worker */
    int32_t attempts;
    int32_t images_per_job; /* 0: by the sizes of the images */
    double requests, bytes; /* caps per second and worker; 0: none */
    bool is_mosaic;
    /* mosaic: */
    swathe_shape shape;                             /* of the result */
    int64_t tiles, tile_rows, column_tiles, planes; /* as in swathe_tiff_part */
    int64_t tiles_per_job;
    int64_t parts; /* number of jobs that assemble the file */
    char *source;  /* version of the source: size and ETag */
    char *upload;  /* id of the upload in parts; NULL: not begun */
};
swathe_status set_parse(const char *json, size_t size, struct set **set);
swathe_status set_format(const struct set *set, char **json, size_t *size);
void set_free(struct set *set);
/* Sets instance and identity; `instance` NULL: a new one. */
swathe_status set_identify(struct set *set, const char *instance);
/* Fills contract, version and codecs from the library in use. */
swathe_status set_pin(struct set *set);
/* SWATHE_ERROR_UNSUPPORTED, and how they differ, if this process would not make the same bytes. */
swathe_status set_check_pins(const struct set *set);
/* Options of the plans of a set; they borrow its texts. */
swathe_status set_plan_options(const struct set *set, swathe_plan_options *options);
/* What is missing in a source: by the set, or by the tag of its file; NULL: nothing. */
const char *set_nodata(const struct set *set, const swathe_source *source);
/* Does the set ignore the tags of files? Its results have none. */
bool set_ignores_nodata(const struct set *set);
/* URL of the result of a key: `to` + key, with the extension of the format if one is given. */
swathe_status set_target(const struct set *set, const char *key, char **url);
/* Bytes of a key without its extension. A name that starts with a dot has none. */
size_t set_stem(const char *key);

/* ---- Records that change: how far the set was submitted, and its state ---- */

struct set_progress {
    int64_t jobs, images; /* submitted */
    char *last;           /* the last key of these; empty: none */
    uint64_t hash;        /* of these jobs; 0: none */
    int64_t promised;     /* jobs up to this number may be submitted, too, with this hash */
    uint64_t promised_hash;
    bool complete;
};
swathe_status set_progress_parse(const char *json, struct set_progress *progress);
swathe_status set_progress_format(const struct set_progress *progress, char **json);
void set_progress_free(struct set_progress *progress);

enum set_state { SET_ACTIVE, SET_DRAINING, SET_CANCELLED };
const char *set_state_name(enum set_state state);
/* An empty name is that of the first state. */
swathe_status set_state_parse(const char *name, enum set_state *state);

/* The mark of a job that was submitted again. */
struct set_retry {
    int64_t id, generation;
    int64_t repairs; /* sequence of the result of a worker in quarantine; 0: none */
};
/* Fails if it is of another set; `set` is an identity. */
swathe_status set_retry_parse(const char *json, size_t size, const char *set,
                              struct set_retry *retry);
swathe_status set_retry_format(const char *set, const struct set_retry *retry, char **json,
                               size_t *size);

#endif
