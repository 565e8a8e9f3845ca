#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* Set by a signal handler and read by every worker. It is lock-free, as a handler requires. */
static atomic_int caught;

static void note(int number)
{
    atomic_store(&caught, number);
}

void interrupt_catch(void)
{
    /* Without SA_RESTART, a blocking read, write or wait of this thread ends at once. */
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
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
