/* An audit: draws images of results, has other workers make them again, and compares. */
#ifndef FLEET_AUDIT_AUDIT_H
#define FLEET_AUDIT_AUDIT_H

#include "queue/queue.h"
#include "set/message.h"
#include "set/set.h"
#include "swathe/swathe.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- judge.c: an image under audit, what workers say its samples are, and what follows ---- */

enum { AUDIT_CLAIMS = 8, AUDIT_REFUSALS = 3 };

struct audit_claim {
    char worker[NAME_BYTES + 1];
    char samples[65]; /* SHA-256 */
};

struct audit_case {
    int64_t of; /* the job */
    char *key;
    int claim_count, refusal_count;
    struct audit_claim claims[AUDIT_CLAIMS];
    char refusals[AUDIT_REFUSALS][NAME_BYTES + 1]; /* workers that could not make the image */
    char error[OUTCOME_ERROR_BYTES + 1];           /* of the last of them */
    int64_t question;                              /* id of the audit job; 0: none */
    uint64_t sequence;                             /* of it, in the stream of jobs */
    int64_t asked;                                 /* when, in ms */
};

enum audit_verdict {
    AUDIT_ASK,       /* another worker must make the image */
    AUDIT_AGREED,    /* two workers made the same */
    AUDIT_OUTVOTED,  /* two workers made the same, and others did not */
    AUDIT_UNDECIDED, /* three workers, and no two of them agree */
    AUDIT_IMPOSSIBLE /* too many workers could not make it */
};

/* Judges the claims. A worker has one vote, and none if it contradicts itself. AUDIT_OUTVOTED:
 * *truth is a claim of the majority. */
enum audit_verdict audit_case_judge(const struct audit_case *audit_case,
                                    const struct audit_claim **truth);
/* Adds a claim unless the worker made it before. False: there is no room. */
bool audit_case_claim(struct audit_case *audit_case, const char *worker, const char *samples);
void audit_case_refuse(struct audit_case *audit_case, const char *worker, const char *error);
/* Removes the claims of a worker. */
void audit_case_forget(struct audit_case *audit_case, const char *worker);
/* True if the worker claimed something or could not make the image. */
bool audit_case_knows(const struct audit_case *audit_case, const char *worker);

/* ---- read.c: which images are audited: drawn with a secret seed, so that no worker can know ----
 */

struct audit_draw {
    unsigned char seed[32];
    double share; /* above 0, at most 1 */
};

/* The seed comes from the system, or from a file of at least 16 bytes. */
swathe_status audit_draw_start(struct audit_draw *draw, double share, const char *seed_file);
/* The next index after `at` of the images of a message, or `count`. Every image is drawn with the
 * same probability, independently of all others, and always the same for the same seed. Start with
 * -1; `drawn` counts the calls for this message. */
swathe_status audit_draw_next(const struct audit_draw *draw, uint64_t sequence, int32_t drawn,
                              int32_t count, int32_t *at);

/* ---- memory.c: what an audit remembers of jobs, which grows with their number, not with that of
 * images ---- */

/* A sparse array of numbers, 0 at first. Keys of a set are dense, so the number of pages is bounded
 * by the number of messages, whatever keys a wrong worker makes up. */
struct audit_numbers {
    uint64_t **pages;
    size_t room;
    int64_t page_count;
};
uint64_t audit_numbers_get(const struct audit_numbers *numbers, uint64_t key);
/* `messages`: read so far. A key that is out of bounds is ignored. */
swathe_status audit_numbers_set(struct audit_numbers *numbers, uint64_t key, uint64_t value,
                                int64_t messages);
void audit_numbers_free(struct audit_numbers *numbers);

/* A job that was submitted again. */
struct audit_repair {
    int64_t id;
    int32_t generation; /* the last one submitted */
    int32_t waiting;    /* the generation whose result is to come; 0: none */
    bool used;
};

/* A hash table by id. */
struct audit_repairs {
    struct audit_repair *table;
    size_t room, count;
    int64_t waiting; /* jobs whose result is to come */
};
/* NULL: not there. */
struct audit_repair *audit_repairs_find(const struct audit_repairs *repairs, int64_t id);
swathe_status audit_repairs_add(struct audit_repairs *repairs, int64_t id,
                                struct audit_repair **repair);
/* Sets or clears what is to come. */
void audit_repairs_wait(struct audit_repairs *repairs, struct audit_repair *repair,
                        int32_t generation);
void audit_repairs_free(struct audit_repairs *repairs);

/* ---- The audit ---- */

/* AUDIT_WINDOW: images under audit at once; one message may exceed it by its images. The workers in
 * quarantine and those who know a case must fit the list of a job. */
enum { AUDIT_WINDOW = 1024, AUDIT_CASES = AUDIT_WINDOW + JOB_IMAGES + 1, AUDIT_BARRED = 48 };

/* A worker in quarantine. All of its messages up to these were submitted again. */
struct audit_worker {
    char name[NAME_BYTES + 1];
    uint64_t results, dead;
    int64_t since;  /* found by this audit, in ms */
    uint64_t known; /* its messages after this one came later */
    bool warned;    /* that it still works */
};

/* A message of such a worker: its job is to be submitted again. */
struct audit_redo {
    int64_t id;
    uint64_t sequence;
    const struct audit_worker *worker;
};

struct audit_counts {
    int64_t images;     /* that could be drawn */
    int64_t drawn;      /* and those that were */
    int64_t compared;   /* jobs with several results */
    int64_t agreed;     /* cases */
    int64_t open;       /* cases and repairs without a good end */
    int64_t found;      /* workers */
    int64_t redone;     /* jobs submitted again */
    int64_t complaints; /* printed for open ones */
};

struct audit {
    struct queue *queue;
    const char *set;
    struct set *record;
    struct audit_draw draw;
    int64_t patience;              /* for an answer, in ms */
    int64_t heard;                 /* the last answer, in ms */
    uint64_t end;                  /* results up to here are drawn */
    uint64_t read, answers, marks; /* sequences up to which messages were read */
    int64_t messages;
    bool stopped; /* reading, because the window is full */

    struct audit_numbers first;    /* by job: sequence of a result */
    struct audit_numbers repaired; /* bits by sequence: results that were submitted again */
    struct audit_repairs repairs;
    struct audit_redo *redo; /* until the source is listed next */
    size_t redo_count, redo_room;
    int64_t list_after; /* in ms */
    struct audit_worker workers[AUDIT_BARRED];
    int worker_count;
    struct audit_case *cases[AUDIT_CASES];
    int case_count;
    struct audit_counts counts;
};

int64_t audit_now(void);
void audit_free(struct audit *audit);
bool audit_is_barred(const struct audit *audit, const char *worker);
/* Parses a message, checks that its author is who it says, and that it is of the set. *outcome is
 * NULL if not, which is no failure. */
swathe_status audit_parse(const struct audit *audit, const struct queue_record_view *view,
                          struct outcome **outcome);
/* Prints the text, unless there were many before, and counts it. */
void audit_leave_open(struct audit *audit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* read.c: reads results, draws images and compares results of the same job. Stops while the
 * window is full. */
swathe_status audit_read(struct audit *audit);

/* ask.c: opens a case, without a claim yet. NULL: no memory, or no room. */
struct audit_case *audit_open(struct audit *audit, int64_t of, const char *key);
/* Judges a case and does what follows: asks a worker, or closes it. */
swathe_status audit_consider(struct audit *audit, struct audit_case *audit_case);
/* Reads answers, and gives up questions that nobody answers. */
swathe_status audit_listen(struct audit *audit);
/* Removes the jobs of open cases from the queue. */
void audit_withdraw_all(struct audit *audit);

/* judge.c: judges against the workers whose claims are not the truth. */
swathe_status audit_sentence(struct audit *audit, struct audit_case *audit_case,
                             const struct audit_claim *truth);
/* Finds workers that are in quarantine already. */
swathe_status audit_find_barred(struct audit *audit);
/* Closes a case; another one may take its place in the list. */
void audit_close(struct audit *audit, struct audit_case *audit_case);

/* repair.c: submits the jobs that workers in quarantine did again, with the images that they
 * have in the source. */
swathe_status audit_repair(struct audit *audit);
/* Reads the marks of jobs that were submitted again. */
swathe_status audit_read_marks(struct audit *audit);
/* Notes that a trusted worker did a job, or gave it up. True if that was the result of a repair. */
bool audit_repair_done(struct audit *audit, const struct outcome *outcome);

#endif
