#include "published.h"

#include <stdlib.h>
#include <string.h>

const char *published_text(void); /* the file, compiled in */

enum { FIELDS = 13, FIELD = 64 };

/* Line `index` of the text after its header line; NULL past the end. */
static const char *line_at(int index)
{
    const char *line = published_text();
    for (int i = 0; i <= index && line; i++) {
        line = strchr(line, '\n');
        line = line && line[1] ? line + 1 : NULL;
    }
    return line;
}

static void split(const char *line, char fields[FIELDS][FIELD])
{
    for (int i = 0; i < FIELDS; i++) {
        size_t length = strcspn(line, ",\n"), kept = length < FIELD ? length : FIELD - 1;
        memcpy(fields[i], line, kept);
        fields[i][kept] = '\0';
        line += length;
        line += *line == ',';
    }
}

/* Copies `from` with every + replaced by a comma: commas of chains are written as + in the file. */
static void copy_chain(char to[FIELD], const char *from)
{
    size_t i = 0;
    for (; from[i] && i < FIELD - 1; i++)
        to[i] = from[i] == '+' ? ',' : from[i];
    to[i] = '\0';
}

static void copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

bool published_at(int index, struct published *published)
{
    char f[FIELDS][FIELD];
    const char *line = line_at(index);
    if (!line)
        return false;
    split(line, f);
    copy(published->experiment, sizeof published->experiment, f[0]);
    copy(published->hardware, sizeof published->hardware, f[1]);
    published->gpu = strcmp(f[2], "gpu") == 0;
    copy(published->variant, sizeof published->variant, f[3]);
    copy(published->strategy, sizeof published->strategy, f[4]);
    published->block = (int32_t)strtol(f[5], NULL, 10);
    copy_chain(published->filter, f[6]);
    published->k = (int32_t)strtol(f[7], NULL, 10);
    published->width = strtoll(f[8], NULL, 10);
    published->height = strtoll(f[9], NULL, 10);
    published->channels = (int32_t)strtol(f[10], NULL, 10);
    copy(published->scope, sizeof published->scope, f[11]);
    published->ms = strtod(f[12], NULL);
    return true;
}
