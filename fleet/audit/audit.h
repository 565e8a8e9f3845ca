/* An audit: draws images of results, has other workers make them again, and compares. */
#ifndef FLEET_AUDIT_AUDIT_H
#define FLEET_AUDIT_AUDIT_H

#include "audit/case.h"
#include "audit/draw.h"
#include "audit/memory.h"
#include "queue/queue.h"
#include "set/set.h"

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

/* quarantine.c: judges against the workers whose claims are not the truth. */
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
