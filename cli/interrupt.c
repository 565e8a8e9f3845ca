#include "interrupt.h"

#include "../src/base/os_console.h"

#include <stdatomic.h>

/* Set by a signal handler and read by every worker. It is lock-free, as a handler requires. */
static atomic_int caught;

static void note(int number)
{
    atomic_store(&caught, number);
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
