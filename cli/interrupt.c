#include "interrupt.h"

#include "../src/base/os_console.h"
#include "message.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Set by a signal handler and read by every worker. It is lock-free, as a handler requires. */
static atomic_int caught;

static atomic_bool soon, patient;

static void note(int number)
{
    enum { GRACE = 100 }; /* ms */
    atomic_store(&caught, number);
    if (atomic_load(&soon) && !atomic_load(&patient))
        os_end_after(GRACE, EXIT_SIGNAL + number);
}

void interrupt_soon(void)
{
    atomic_store(&soon, true);
}

void interrupt_patiently(void)
{
    atomic_store(&patient, true);
}

void interrupt_catch(void)
{
    os_catch_interrupts(note);
}

int interrupt_caught(void)
{
    return atomic_load(&caught);
}

int32_t interrupt_asked(void *unused)
{
    (void)unused;
    return interrupt_caught() != 0;
}
