#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* Set by a handler, read by every worker; lock-free, so a handler may. */
static atomic_int caught;

static void note(int number)
{
    atomic_store(&caught, number);
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_caught(void)
{
    return atomic_load(&caught);
}
