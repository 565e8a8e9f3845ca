#include "batch/journal_header.h"

#include "../../src/base/os_path.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char word[] = "swathe-batch", version[] = "1";

bool journal_header_starts(const char *bytes)
{
    size_t sum = strspn(bytes, "0123456789abcdef"), length = sizeof word - 1;
    return sum == 8 && bytes[sum] == '\t' && strncmp(bytes + sum + 1, word, length) == 0 &&
           bytes[sum + 1 + length] == '\t';
}

static void add_pair(struct record *record, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%s=%s", key, value);
        record_add(record, text);
    }
    record->failed |= !text;
    free(text);
}

static void add_chain(struct record *record, const swathe_chain *chain)
{
    size_t needed = 0;
    char *text = NULL;
    if (swathe_chain_text(chain, NULL, 0, &needed) == SWATHE_OK)
        text = malloc(needed);
    bool good = text && swathe_chain_text(chain, text, needed, NULL) == SWATHE_OK;
    if (good)
        add_pair(record, "chain", text);
    record->failed |= !good;
    free(text);
}

static bool lies_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' &&
           !strchr(path + length + 1, '/');
}

/* Adds the directory of the results, unless the journal is in it, as by default: then both may be
 * moved together. */
static void add_folder(struct record *record, const struct options *options)
{
    const char *out = options_text(options, OPTION_OUT);
    const char *journal = options_text(options, OPTION_JOURNAL);
    char folder[OS_PATH], path[OS_PATH];
    bool found = os_real_path(out, folder);
    if (journal && !(found && os_real_path(journal, path) && lies_in(folder, path)))
        add_pair(record, "--out", found ? folder : out);
}

/* Options of these groups determine the results and files. The other options never change integer
 * results, and change float results only within their error bound. */
static bool decides(const struct option *option)
{
    return option->group == GROUP_RESULT || option->group == GROUP_FILE;
}

void journal_header_write(const struct options *options, const swathe_chain *chain,
                          struct record *record)
{
    char contract[16];
    snprintf(contract, sizeof contract, "%d", (int)swathe_contract());
    record_begin(record, word);
    record_add(record, version);
    add_pair(record, "contract", contract);
    add_chain(record, chain);
    add_folder(record, options);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char key[64];
        if (!options->values[i] || !decides(option_at(i)))
            continue;
        snprintf(key, sizeof key, "--%s", option_at(i)->name);
        add_pair(record, key, options->values[i]);
    }
}

/* The field with the same key as `field`; NULL: there is none. */
static const char *same_key(char *const *fields, int count, const char *field)
{
    size_t key = strcspn(field, "=") + 1;
    for (int i = 2; i < count; i++)
        if (strncmp(fields[i], field, key) == 0)
            return fields[i];
    return NULL;
}

/* Describes a difference: "with --border=wrap", "with --exact", "without --border". */
static void describe(const char *field, const char *key, char *text, size_t size)
{
    size_t length = field ? strlen(field) : 0;
    if (field)
        snprintf(text, size, "with %.*s", (int)(length - (field[length - 1] == '=')), field);
    else
        snprintf(text, size, "without %.*s", (int)strcspn(key, "="), key);
}

static int complain_difference(const char *path, const char *before, const char *now)
{
    char was[1024], is[1024];
    describe(before, now, was, sizeof was);
    describe(now, before, is, sizeof is);
    return complain(
        SWATHE_ERROR_ARGUMENT,
        "%s was started %s, but this command is %s; repeat that command, or start over with "
        "--overwrite",
        path, was, is);
}

static int compare(const char *path, char *const *fields, int count, char *const *own,
                   int own_count)
{
    for (int i = 2; i < own_count; i++) {
        const char *before = same_key(fields, count, own[i]);
        if (!before || strcmp(before, own[i]) != 0)
            return complain_difference(path, before, own[i]);
    }
    for (int i = 2; i < count; i++)
        if (!same_key(own, own_count, fields[i]))
            return complain_difference(path, fields[i], NULL);
    return 0;
}

int journal_header_check(const char *path, char *const *fields, int count,
                         const struct options *options, const swathe_chain *chain)
{
    char *own[JOURNAL_HEADER_FIELDS];
    struct record record = {0};
    if (count < 2 || strcmp(fields[0], word) != 0 || strcmp(fields[1], version) != 0)
        return complain(SWATHE_ERROR_INPUT,
                        "%s is not a journal that this version can read; start over with "
                        "--overwrite, or name another file with --journal FILE",
                        path);
    int code = SWATHE_ERROR_MEMORY;
    journal_header_write(options, chain, &record);
    if (record_end(&record)) {
        int own_count = record_read(record.text, record.size, own, JOURNAL_HEADER_FIELDS);
        code = compare(path, fields, count, own, own_count);
    } else {
        complain(code, "%s: no memory", path);
    }
    record_free(&record);
    return code;
}
