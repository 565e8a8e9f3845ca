/* Filters one image file into another: open, plan, create, run, commit. A function that returns an
 * exit code has printed a message; message_keep stores messages instead. */
#ifndef SWATHE_CLI_FILE_FILE_JOB_H
#define SWATHE_CLI_FILE_FILE_JOB_H

#include "commands/options.h"
#include "file/nodata.h"
#include "terminal/progress.h"

struct file_job {
    swathe_context *context;
    const struct options *options;
    const char *in, *out;
    int32_t threads;  /* 0: the context's default */
    bool replace;     /* replace `out`, even without --overwrite */
    bool mixed;       /* ignore options that the format of `out` does not take */
    bool unsynced;    /* the caller syncs */
    bool nofollow;    /* a symbolic link at `out` is the file to keep or replace */
    const void *head; /* bytes of standard input that were read already */
    size_t head_size;
    swathe_source *source;     /* after file_job_open */
    swathe_shape shape;        /* of the source */
    const swathe_plan *plan;   /* the caller's, from file_job_plan */
    const swathe_chain *chain; /* for further pages; NULL: only one page is written */
    struct progress *progress; /* NULL: not shown */
    int64_t before, page;      /* pixels of the pages before this one, and of this one */
    int64_t number;            /* of the open page; 0: that of --page */
    swathe_clamped clamped;    /* results of all pages */
    bool fits;                 /* --values fit found … */
    double fitted[2];          /* … this range */
    struct nodata nodata;      /* of the page, after file_job_plan */
    int64_t pages;             /* pages still to write, including this one */
    const char *format;        /* of OUT, after file_job_write */
    int64_t left_out;          /* pages of IN that were not written, after file_job_write */
};

int file_job_open(struct file_job *job);
/* Opens the same page again: sources can be read once. */
int file_job_reopen(struct file_job *job);
/* Creates a plan for the source's shape; the caller destroys it. If --type does not specify a type,
 * it is one that the format of OUT holds, if the samples can be scaled to it. --values fit runs the
 * chain once, and opens the source again. */
int file_job_plan(struct file_job *job, const swathe_chain *chain, swathe_plan **plan);
/* Writes the result under its name, complete or not at all. Writes all pages of IN if they are
 * requested and OUT can store them. Returns 128 + the signal if one was caught. */
int file_job_write(struct file_job *job);
void file_job_close(struct file_job *job);

#endif
