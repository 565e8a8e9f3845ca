/* One image file into another: open, plan, create, run, commit. What fails was complained about
 * when a function returns its exit code; message_keep turns that into text. */
#ifndef SWATHE_CLI_FILE_JOB_H
#define SWATHE_CLI_FILE_JOB_H

#include "options.h"
#include "progress.h"

struct file_job {
    swathe_context *context;
    const struct options *options;
    const char *in, *out;
    int32_t threads;           /* 0: the context's */
    bool replace;              /* what lies at `out`, also without --overwrite */
    bool mixed;                /* options that the format of `out` does not take are for others */
    bool unsynced;             /* the caller syncs */
    bool nofollow;             /* a symbolic link at `out` is the file to keep or replace */
    swathe_source *source;     /* after file_job_open */
    const swathe_plan *plan;   /* borrowed: file_job_plan made it, or a cache */
    const swathe_chain *chain; /* for further pages; NULL: one is wanted, whatever IN has */
    struct progress *progress; /* NULL: not shown */
    int64_t before, page;      /* pixels of the pages before this one, and of this one */
    int64_t pages;             /* to write, with this one */
    const char *format;        /* after file_job_write: OUT's */
    int64_t left_out;          /* after file_job_write: pages of IN that OUT cannot hold */
};

int file_job_open(struct file_job *job);
/* Made for the source's shape; whoever asks for it destroys it. */
int file_job_plan(const struct file_job *job, const swathe_chain *chain, swathe_plan **plan);
/* Writes the result under its name, complete or not at all, with all pages of IN where they are
 * wanted and OUT holds them. 128 + the signal when one came. */
int file_job_write(struct file_job *job);
void file_job_close(struct file_job *job);

#endif
