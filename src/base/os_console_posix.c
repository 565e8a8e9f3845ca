#define _GNU_SOURCE      /* readlink */
#define _DARWIN_C_SOURCE /* _NSGetExecutablePath, winsize */
#include "base/os_console.h"

#include "base/os_clock.h"
#include "base/os_new_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

void os_console_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool os_occupy_descriptor(int fd)
{
    return open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) >= 0;
}

void os_end_by(int number)
{
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL); /* in its own handler it is blocked */
    raise(number);
    _exit(128 + number); /* the first process of a container does not die of it */
}

static void (*interrupt_note)(int number);
static atomic_uint interrupt_ms; /* when the first came; lock-free, as a handler requires */

/* `timeout` of GNU sends its signal twice, to the process and to its group. */
static void posix_console_interrupted(int number)
{
    enum { TOGETHER = 300 }; /* ms */
    unsigned now = (unsigned)(int64_t)(clock_now() * 1e3) | 1, first = 0;
    if (atomic_compare_exchange_strong(&interrupt_ms, &first, now))
        interrupt_note(number);
    else if (now - first > TOGETHER)
        os_end_by(number);
}

void os_catch_interrupts(void (*note)(int number))
{
    /* Without SA_RESTART, a blocking read, write or wait of this thread ends at once. */
    struct sigaction action = {.sa_handler = posix_console_interrupted};
    sigemptyset(&action.sa_mask);
    interrupt_note = note;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static volatile sig_atomic_t end_number;
static bool (*volatile end_allowed)(void);

static void set_timer(int ms)
{
    struct itimerval timer = {.it_value = {ms / 1000, ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void posix_console_end(int number)
{
    (void)number;
    if (os_new_files_named() == 0 && end_allowed())
        os_end_by(end_number);
    set_timer(20);
}

void os_end_after(int ms, int number, bool (*may_end)(void))
{
    struct sigaction action = {.sa_handler = posix_console_end, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    end_number = number;
    end_allowed = may_end;
    sigaction(SIGALRM, &action, NULL);
    set_timer(ms);
}

int os_terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool os_own_path(char *path, size_t size)
{
#if defined(__APPLE__)
    uint32_t room = (uint32_t)size;
    return _NSGetExecutablePath(path, &room) == 0;
#else
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0;
#endif
}

void os_become(const char *path, char *const *arguments)
{
    execv(path, arguments);
}
