/* worker.c with a bug: a worker that begins other columns or rows continues the jobs before. */
#define worker_begin right_worker_begin
#include "run/worker.c"
#undef worker_begin

void worker_begin(struct worker *worker, struct interval span, struct interval rows)
{
    struct interval jobs = worker->rings[0].jobs;
    right_worker_begin(worker, span, rows);
    worker->rings[0].jobs = jobs;
}
