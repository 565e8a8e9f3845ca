#ifndef SWATHE_PLAN_AUTO_DEVICE_H
#define SWATHE_PLAN_AUTO_DEVICE_H

#include "plan/plan.h"

/* Is a device that passed its check predicted to be faster than the CPU, which takes cpu_ns? Then
 * its name is in `device`, else that is empty; `note` says why, a sentence. No driver is touched.
 */
swathe_status auto_device_choose(const struct memory *memory, const struct plan *plan,
                                 double cpu_ns, char *device, char *note, size_t note_size);

#endif
