/* Filters one image file into another: open, plan, create, run, commit. A function that returns an
 * exit code has printed a message; message_keep stores messages instead. */
#ifndef SWATHE_CLI_FILE_JOB_H
#define SWATHE_CLI_FILE_JOB_H

#include "options.h"
#include "progress.h"

struct file_job {
    swathe_context *context;
    const struct options *options;
    const char *in, *out;
    int32_t threads;           /* 0: the context's default */
    bool replace;              /* replace `out`, even without --overwrite */
    bool mixed;                /* ignore options that the format of `out` does not take */
    bool unsynced;             /* the caller syncs */
    bool nofollow;             /* a symbolic link at `out` is the file to keep or replace */
    swathe_source *source;     /* after file_job_open */
    const swathe_plan *plan;   /* borrowed from file_job_plan or a cache */
    const swathe_chain *chain; /* for further pages; NULL: only one page is written */
    struct progress *progress; /* NULL: not shown */
    int64_t before, page;      /* pixels of the pages before this one, and of this one */
    int64_t pages;             /* pages still to write, including this one */
    const char *format;        /* of OUT, after file_job_write */
    int64_t left_out;          /* pages of IN that were not written, after file_job_write */
};

int file_job_open(struct file_job *job);
/* Creates a plan for the source's shape; the caller destroys it. */
int file_job_plan(const struct file_job *job, const swathe_chain *chain, swathe_plan **plan);
/* Writes the result under its name, complete or not at all. Writes all pages of IN if they are
 * requested and OUT can store them. Returns 128 + the signal if one was caught. */
int file_job_write(struct file_job *job);
void file_job_close(struct file_job *job);

#endif
