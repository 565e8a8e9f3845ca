#ifndef FLEET_WORKER_CORE_H
#define FLEET_WORKER_CORE_H

/* Forbids core files of this process, and debuggers of the same user. */
void worker_forbid_core(void);

#endif
