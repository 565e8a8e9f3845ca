#include "worker/log.h"

#include "../../src/base/bounded_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, TEXT_BYTES = 1024 };

/* Bytes of the character that starts here; 0: not UTF-8. */
static int character_bytes(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int count = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    uint32_t code = count > 1 ? *at & (0xFFu >> (count + 1)) : *at;
    for (int i = 1; i < count; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 63);
    }
    return count && code >= least[count] && code <= 0x10FFFF && code >> 11 != 27 ? count : 0;
}

/* Escapes `text` for JSON. It may have been cut inside a character. */
static void worker_log_add_text(struct text *line, const char *name, const char *text)
{
    text_add(line, ",\"%s\":\"", name);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int count = character_bytes(at);
        if (line->needed > LINE_BYTES - 32) /* leaves room for the end of the object */
            break;
        if (*at == '"' || *at == '\\')
            text_add(line, "\\%c", *at);
        else if (*at < 32 || *at == 127)
            text_add(line, "\\u%04x", *at);
        else if (count == 0)
            text_add(line, "?");
        else
            text_add(line, "%.*s", count, (const char *)at);
        at += count ? count : 1;
    }
    text_add(line, "\"");
}

static void format_json(const struct worker_log *log, struct worker_event event, const char *text,
                        struct text *line)
{
    static const char *const levels[] = {"info", "warning", "error"};
    struct timespec now;
    struct tm utc;
    char date[32] = "";
    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    text_add(line, "{\"time\":\"%s.%03dZ\",\"level\":\"%s\",\"event\":\"%s\"", date,
             (int)(now.tv_nsec / 1000000), levels[event.level], event.event);
    if (log->set)
        worker_log_add_text(line, "set", log->set);
    if (log->worker)
        worker_log_add_text(line, "worker", log->worker);
    if (event.job >= 0)
        text_add(line, ",\"job\":%" PRId64, event.job);
    if (event.key)
        worker_log_add_text(line, "key", event.key);
    worker_log_add_text(line, "text", text);
    text_add(line, "}");
}

static void format_plain(struct worker_event event, const char *text, struct text *line)
{
    text_add(line, "swathe-fleet: ");
    if (event.job >= 0)
        text_add(line, "job %" PRId64 ": ", event.job);
    if (event.key && !strstr(text, event.key))
        text_add(line, "%s: ", event.key);
    text_add(line, "%s", text);
    for (char *c = line->at; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
}

/* One call of write, so that lines of several threads do not mix. */
void worker_log(const struct worker_log *log, struct worker_event event, const char *format, ...)
{
    char text[TEXT_BYTES], bytes[LINE_BYTES];
    struct text line;
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    text_init(&line, bytes, sizeof bytes - 1); /* with room for the newline */
    if (log->json)
        format_json(log, event, text, &line);
    else
        format_plain(event, text, &line);
    size_t length = text_length(&line);
    bytes[length++] = '\n';
    if (write(STDERR_FILENO, bytes, length) < 0)
        return; /* nobody reads it */
}
