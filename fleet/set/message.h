/* Messages of a fleet as structs. Parsing is strict: messages are hostile input. */
#ifndef FLEET_SET_MESSAGE_H
#define FLEET_SET_MESSAGE_H

#include "swathe/swathe.h"

#include <stdbool.h>

enum {
    MESSAGE_BYTES = 256 * 1024,
    OUTCOME_BYTES = 260 * 1024,
    KEY_BYTES = 1024,
    JOB_IMAGES = 1000,
    NAME_BYTES = 64,
    INSTANCE_DIGITS = 16,
    IDENTITY_BYTES = NAME_BYTES + 1 + INSTANCE_DIGITS
};

/* Audits have ids from here on, random and so not to be guessed. */
#define JOB_AUDIT_FIRST (INT64_C(1) << 52)

enum job_kind {
    JOB_IMAGES_KEYS,
    JOB_MANIFEST,
    JOB_AUDIT,
    JOB_TILES,
    JOB_INDEX,
    JOB_PART,
    JOB_FINISH
};

struct job {
    char set[IDENTITY_BYTES + 1]; /* NAME.INSTANCE: sets of the same name differ */
    int64_t id;
    int64_t generation; /* 0, and one more each time that it is submitted again */
    enum job_kind kind;
    int32_t count; /* keys; images and audit (1) */
    char **keys;
    int64_t offset, size; /* manifest: bytes; tiles: first and number; part: number, parts */
    int64_t of;           /* audit: the job whose image is made again */
    int32_t excluded_count;
    char **excluded; /* audit: names of workers that must not do it */
};
swathe_status job_parse(const char *json, size_t size, struct job **job);
/* SWATHE_ERROR_LIMIT above MESSAGE_BYTES. */
swathe_status job_format(const struct job *job, char **json, size_t *size);
void job_free(struct job *job);
/* "images", "manifest", ... */
const char *job_kind_name(enum job_kind kind);

enum { OUTCOME_ERROR_BYTES = 255, OUTCOME_REASON_BYTES = 511 };

struct outcome_image {
    const char *key;
    char samples[65], bytes[65]; /* SHA-256 in hexadecimal, if the status is SWATHE_OK */
    int64_t size;
    swathe_status status;
    char error[OUTCOME_ERROR_BYTES + 1];
};

/* A result, or a dead letter if there is a reason. */
struct outcome {
    char set[IDENTITY_BYTES + 1], worker[NAME_BYTES + 1];
    int64_t id; /* dead letters: -1 if unknown */
    int64_t generation, attempt;
    enum job_kind kind;
    int32_t count;
    struct outcome_image *images;
    double seconds;
    char reason[OUTCOME_REASON_BYTES + 1];
    struct job *job; /* dead letters: the job, to submit it again; NULL: it could not be read */
    char *keys; /* memory of the images' keys, if outcome_parse made it; NULL: they are borrowed */
};
swathe_status outcome_parse(const char *json, size_t size, struct outcome **outcome);
/* Replaces bytes of errors and reasons that are not valid text. Cuts errors if the message would
 * exceed OUTCOME_BYTES. */
swathe_status outcome_format(const struct outcome *outcome, char **json, size_t *size);
/* For results of outcome_parse, whose job it frees, too. */
void outcome_free(struct outcome *outcome);

/* A key is safe: valid length, no control characters, no empty, "." or ".." segment, no leading
 * '/'. */
bool key_is_safe(const char *key);
/* 1 to NAME_BYTES letters, digits, '_' and '-'. */
bool name_is_safe(const char *name);
/* Lower-case hexadecimal digits, INSTANCE_DIGITS of them. */
bool instance_is_safe(const char *text);
/* A name, '.' and an instance. */
bool identity_is_safe(const char *text);

#endif
