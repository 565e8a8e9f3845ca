#ifndef SWATHE_PLAN_AUTO_DEVICE_H
#define SWATHE_PLAN_AUTO_DEVICE_H

#include "plan/device_record.h"
#include "plan/plan.h"

/* Is a device that passed its check predicted to be faster than the CPU, which takes cpu_ns? Then
 * `chosen` is its record, else that has no name; `note` says why, a sentence. No driver is
 * touched. */
swathe_status auto_device_choose(const struct plan_maker *maker, const struct plan *plan,
                                 double cpu_ns, struct device_record *chosen, char *note,
                                 size_t note_size);

#endif
