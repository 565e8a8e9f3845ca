#include "terminal/interrupt.h"

#include "../../src/base/os_console.h"
#include "terminal/message.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Set by a signal handler and read by every worker. It is lock-free, as a handler requires. */
static atomic_int caught;

static atomic_bool soon;
static atomic_int holds;

static bool may_end(void)
{
    return atomic_load(&holds) == 0;
}

static void end_soon(int number)
{
    enum { GRACE = 100 }; /* ms */
    if (number != 0 && atomic_load(&soon))
        os_end_after(GRACE, number, may_end);
}

static void terminal_interrupt_note(int number)
{
    atomic_store(&caught, number);
    end_soon(number);
}

/* With a shared library, this program does not know which files of it have a temporary name. */
void interrupt_soon(void)
{
#ifndef SHARED_PROGRAMS
    atomic_store(&soon, true);
#endif
}

void interrupt_hold(int change)
{
    if (atomic_fetch_add(&holds, change) + change == 0)
        end_soon(atomic_load(&caught)); /* what was held up has its whole time again */
}

void interrupt_catch(void)
{
    os_catch_interrupts(terminal_interrupt_note);
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
