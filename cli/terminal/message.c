#include "terminal/message.h"

#include "../../src/base/os_clock.h"
#include "../../src/base/os_file.h"
#include "terminal/interrupt.h"
#include "terminal/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, PATIENCE = 1000 }; /* ms */

static _Thread_local struct {
    char *text;
    size_t size;
} kept;

void message_keep(char *text, size_t size)
{
    kept.text = text;
    kept.size = size;
}

void message_clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

/* Waits until the pipe accepts data. After a signal it waits at most PATIENCE, and only once in all
 * calls; false: the pipe is still full. */
static bool wait_long(int fd)
{
    static atomic_bool gave_up;
    double until = 0.0; /* s; signals may interrupt the wait again and again */
    for (;;) {
        bool caught = interrupt_caught();
        double now = clock_now();
        until = caught && until == 0.0 ? now + PATIENCE / 1e3 : until;
        int left = !caught ? PATIENCE : until > now ? (int)((until - now) * 1e3) : 0;
        int found = os_wait(fd, OS_WAIT_WRITE, caught && atomic_load(&gave_up) ? 0 : left);
        if (found > 0 || (found < 0 && errno != EINTR))
            return true;
        if (found == 0 && caught)
            break;
    }
    atomic_store(&gave_up, true);
    return false;
}

static bool terminal_message_wait_for_room(int fd)
{
    if (os_wait(fd, OS_WAIT_WRITE, 0) > 0)
        return true;
    interrupt_hold(1);
    bool room = wait_long(fd);
    interrupt_hold(-1);
    return room;
}

/* Writes pieces so small that a writable pipe accepts them without blocking. */
void message_write(int fd, const char *text, size_t size)
{
    while (size > 0 && terminal_message_wait_for_room(fd)) {
        int64_t count = os_write(fd, text, size < OS_PIPE_PIECE ? size : OS_PIPE_PIECE);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            return;
        text += count;
        size -= (size_t)count;
    }
}

static bool as_json; /* set once, before there are threads */

void message_json(void)
{
    as_json = true;
}

static bool terminal_message_print_json(const char *text)
{
    struct os_memory_file line;
    os_memory_open(&line);
    struct json json = {.to = line.to};
    if (!json.to)
        return false;
    json_flat(&json, NULL, '{');
    json_text(&json, "event", "message");
    json_text(&json, "text", text);
    json_close(&json, '}');
    bool good = os_memory_close(&line);
    if (good)
        message_write(STANDARD_ERROR, line.text, line.size);
    free(line.text);
    return good;
}

static void terminal_message_print_line(char *text)
{
    char line[MOST + 16];
    message_clean(text);
    if (kept.text)
        snprintf(kept.text, kept.size, "%s", text);
    else if (!as_json || !terminal_message_print_json(text))
        message_write(STANDARD_ERROR, line,
                      (size_t)snprintf(line, sizeof line, "swathe: %s\n", text));
}

static _Thread_local int last_system;

int complain(swathe_status status, const char *format, ...)
{
    char text[MOST];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    terminal_message_print_line(text);
    last_system = 0;
    return status;
}

int complain_system(int error, const char *format, ...)
{
    char text[MOST];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain(SWATHE_OK, "%s: %s", text, strerror(error));
    last_system = error;
    return error == ENOMEM ? SWATHE_ERROR_MEMORY : SWATHE_ERROR_IO;
}

int message_system(void)
{
    return last_system;
}

/* ---- Advice on errors of the library, which does not know the command line ------------------ */

/* What is appended to an error of the library with this status and subject, a limit or option. $ is
 * replaced by the command's option of that name, with a sufficient value if the library reports
 * one. */
static const struct {
    swathe_status status;
    const char *subject, *words;
} ways[] = {
    {SWATHE_ERROR_LIMIT, "max_pixels", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_memory", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_metadata", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_spool", ", or raise the limit with $"},
    {SWATHE_ERROR_LIMIT, "device_memory",
     ", or, if the device has more memory, raise the limit with $"},
    {SWATHE_ERROR_ARGUMENT, "overwrite", "; replace it with $"},
    {SWATHE_ERROR_ARGUMENT, "format", "; name one with $"},
    {SWATHE_ERROR_ARGUMENT, "quality", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "lossless", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "subsampling", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "compression", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "tile", "; leave out $"},
    {SWATHE_ERROR_UNSUPPORTED, "tile", " with $"},
    {SWATHE_ERROR_UNSUPPORTED, "type", "; convert with $, or for looking with --values fit"},
    {SWATHE_ERROR_UNSUPPORTED, "alpha", ", or put a colour behind it, as in --background white"},
    {SWATHE_ERROR_UNSUPPORTED, "light", "; $ srgb takes sRGB's curve"},
    {SWATHE_ERROR_ARGUMENT, "nodata", "; $ none ignores missing data"},
    {SWATHE_ERROR_ARGUMENT, "device", ", as in $ gpu"},
    {SWATHE_ERROR_ARGUMENT, "strategy", "; 'swathe devices --strategies' lists them"},
    {SWATHE_ERROR_ARGUMENT, "algorithm", "; $ fourier forces them"},
};

/* Set once, before there are threads. */
static const struct command *current;
static int32_t sharing = 1;

/* Formats a number for options of KIND_SIZE, rounded up: "4G". */
static void as_size(uint64_t number, char *text, size_t size)
{
    static const char units[] = "KMGTPE";
    int unit = -1;
    while (number >= 1024) {
        number = number / 1024 + (number % 1024 != 0);
        unit++;
    }
    snprintf(text, size, "%" PRIu64 "%.*s", number, unit >= 0, &units[unit >= 0 ? unit : 0]);
}

/* The option of the current command for a field: --max-memory for max_memory. */
static const struct option *find_option(const char *subject)
{
    const struct option *option;
    char name[64];
    snprintf(name, sizeof name, "%s", subject);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (int i = 0; (option = option_at(i)); i++)
        if (strcmp(option->name, name) == 0 && option_fits(option, current))
            return option;
    return NULL;
}

/* Writes an option with its value, as in "--max-memory 4G". Pixels are printed as a plain number,
 * as in the error's text. */
static void terminal_message_spell(const struct option *option, const swathe_error *error,
                                   char *text, size_t size)
{
    char value[32] = "";
    if (error->needed > 0 && strcmp(error->subject, "max_pixels") == 0)
        snprintf(value, sizeof value, "%" PRId64, error->needed);
    else if (error->needed > 0 && strcmp(error->subject, "max_memory") == 0)
        as_size((uint64_t)error->needed * (uint64_t)sharing, value, sizeof value);
    else if (error->needed > 0)
        as_size((uint64_t)error->needed, value, sizeof value);
    snprintf(text, size, "--%s%s%s", option->name, *value ? " " : "", value);
}

static void find_advice(const swathe_error *error, char *text, size_t size)
{
    const struct option *option = NULL;
    char spelled[96];
    *text = '\0';
    if (error->subject) /* lossless is a value of --quality */
        option = find_option(strcmp(error->subject, "lossless") == 0 ? "quality" : error->subject);
    if (!option)
        return;
    terminal_message_spell(option, error, spelled, sizeof spelled);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].status == error->status && strcmp(ways[i].subject, error->subject) == 0) {
            int before = (int)strcspn(ways[i].words, "$");
            const char *after = ways[i].words + before;
            snprintf(text, size, "%.*s%s%s", before, ways[i].words, *after ? spelled : "",
                     *after ? after + 1 : "");
        }
}

void advice_share(int32_t images)
{
    sharing = images;
}

void advice_for(const struct command *command)
{
    current = command;
}

/* ---- Failures ------------------------------------------------------------------------------- */

int complain_library(swathe_status status, const char *what)
{
    if (status == SWATHE_ERROR_CANCELLED && interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    swathe_error error = SWATHE_INIT(swathe_error);
    char more[128] = "";
    swathe_error_get(&error);
    if (current)
        find_advice(&error, more, sizeof more);
    complain(status, "%s%s%s%s", what ? what : "", what ? ": " : "", error.text, more);
    last_system = error.system;
    return status;
}

int complain_unless_ended(FILE *from, const char *path)
{
    int error = errno;
    if (feof(from) && !ferror(from))
        return 0;
    return complain_system(error, "%s: cannot read", path);
}

const char *path_read(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* ---- Clamped results ------------------------------------------------------------------------ */

double clamped_share(const swathe_clamped *found)
{
    double share =
        found->examined > 0 ? (double)(found->below + found->above) / (double)found->examined : 0.0;
    return share > 0.001 ? share : 0.0;
}

const char *clamped_words(const swathe_clamped *found, char *text, size_t size)
{
    double share = clamped_share(found);
    snprintf(text, size, "about %.*g %% of the results were %s", share < 0.995 ? 2 : 3,
             100.0 * share,
             found->below == 0   ? "above"
             : found->above == 0 ? "below"
                                 : "outside");
    return text;
}

bool clamped_expected(const swathe_chain *chain)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double sum = 0.0;
    if (swathe_chain_mask(chain, swathe_chain_stages(chain) - 1, 0, &mask) != SWATHE_OK)
        return false;
    for (int64_t i = 0; mask.taps && i < (int64_t)mask.width * mask.height; i++)
        sum += mask.taps[i];
    return mask.bias == 0.0 && fabs(sum - 1.0) < 1e-6;
}
