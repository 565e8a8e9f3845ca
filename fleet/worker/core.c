/* Core files would contain credentials. */
#include "worker/core.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void worker_forbid_core(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0, 0, 0,
          0); /* the limit does not hold if a program receives core files */
}
