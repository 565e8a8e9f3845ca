/* The text of a wisdom file:
 *   swathe wisdom 1
 *   contract 3
 *   library 1.2.3 9d0c…                    version, and a hash of the code
 *   cpu GenuineIntel …
 *   rate avx2 direct u8 RUN ROW ROW_WORK SAMPLE WORK     nanoseconds
 *   problem KEY direct=1.5 toeplitz=0.4         nanoseconds a sample
 *   end 0123456789abcdef                   a hash of all above */
#include "base/cpu.h"
#include "base/hash.h"
#include "plan/wisdom.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LINES = 4, LINE_MAX_SIZE = 512, WORDS_MAX = ALGORITHM_COUNT + 8 };
static const char first_line[] = "swathe wisdom 1";

static void header_line(int line, char *text, size_t size)
{
    struct text out;
    char cpu[256];
    text_init(&out, text, size);
    cpu_identity(cpu, sizeof cpu);
    if (line == 0)
        text_add(&out, "%s", first_line);
    else if (line == 1)
        text_add(&out, "contract %d", SWATHE_CONTRACT);
    else if (line == 2)
        text_add(&out, "library %s %s", SWATHE_VERSION, wisdom_build);
    else
        text_add(&out, "cpu %s", cpu);
}

static void print_rates(const struct wisdom_content *content, int isa, struct text *out)
{
    const struct wisdom_rates *rates = &content->rates[isa];
    for (int a = 0; a < ALGORITHM_COUNT; a++)
        for (int c = 0; c < COST_CLASSES; c++) {
            if (!rates->known[a][c])
                continue;
            text_add(out, "rate %s %s %s", isa_at(isa)->name, algorithm_at(a)->name,
                     cost_class_name((enum cost_class)c));
            for (int t = 0; t < COST_TERMS; t++) {
                text_add(out, " ");
                text_add_double(out, rates->rate[a][c].ns[t]);
            }
            text_add(out, "\n");
        }
}

static void print_problem(const struct wisdom_problem *problem, struct text *out)
{
    text_add(out, "problem %016" PRIx64, problem->key);
    for (int a = 0; a < ALGORITHM_COUNT; a++)
        if (problem->ns[a] > 0.0) {
            text_add(out, " %s=", algorithm_at(a)->name);
            text_add_double(out, problem->ns[a]);
        }
    text_add(out, "\n");
}

void wisdom_print(const struct wisdom_content *content, struct text *out)
{
    char line[LINE_MAX_SIZE];
    for (int i = 0; i < HEADER_LINES; i++) {
        header_line(i, line, sizeof line);
        text_add(out, "%s\n", line);
    }
    for (int isa = 0; isa < WISDOM_ISAS; isa++)
        print_rates(content, isa, out);
    for (int32_t i = 0; i < content->problem_count; i++)
        print_problem(&content->problems[i], out);
    uint64_t hash = out->needed < out->size ? hash_bytes(HASH_START, out->at, out->needed) : 0;
    text_add(out, "end %016" PRIx64 "\n", hash);
}

/* Splits off the next line; NULL at the end. */
static char *next_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

static int wisdom_text_split(char *line, char **words)
{
    int count = 0;
    for (char *at = line; count < WORDS_MAX; at++) {
        words[count++] = at;
        at = strchr(at, ' ');
        if (!at)
            return count;
        *at = '\0';
    }
    return 0; /* too many words */
}

static bool read_time(const char *word, double *ns)
{
    return text_to_double(word, ns) && *ns >= 0.0;
}

static bool read_hash(const char *word, uint64_t *hash)
{
    char *end;
    *hash = strtoull(word, &end, 16);
    return strlen(word) == 16 && *end == '\0';
}

static bool wisdom_text_read_rate(char **words, int count, struct wisdom_content *content)
{
    int isa = count == 4 + COST_TERMS ? isa_named(words[1]) : -1, kind = 0;
    const struct algorithm *algorithm = isa < 0 ? NULL : algorithm_named(words[2]);
    if (!algorithm)
        return false;
    while (kind < COST_CLASSES && strcmp(cost_class_name((enum cost_class)kind), words[3]) != 0)
        kind++;
    if (kind == COST_CLASSES)
        return false;
    int index = algorithm_index(algorithm);
    content->rates[isa].known[index][kind] = true;
    for (int t = 0; t < COST_TERMS; t++)
        if (!read_time(words[4 + t], &content->rates[isa].rate[index][kind].ns[t]))
            return false;
    return true;
}

static bool read_problem(char **words, int count, struct wisdom_content *content)
{
    if (content->problem_count == WISDOM_PROBLEMS_MAX || count < 2)
        return false;
    struct wisdom_problem *problem = &content->problems[content->problem_count++];
    if (!read_hash(words[1], &problem->key))
        return false;
    for (int i = 2; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (!value)
            return false;
        *value = '\0';
        const struct algorithm *algorithm = algorithm_named(words[i]);
        if (!algorithm || !read_time(value + 1, &problem->ns[algorithm_index(algorithm)]))
            return false;
    }
    return true;
}

static bool wisdom_text_read_line(char *line, struct wisdom_content *content)
{
    char *words[WORDS_MAX];
    int count = wisdom_text_split(line, words);
    if (count > 0 && strcmp(words[0], "rate") == 0)
        return wisdom_text_read_rate(words, count, content);
    return count > 0 && strcmp(words[0], "problem") == 0 && read_problem(words, count, content);
}

/* Checks that the checksum in the last line matches all bytes before it. Removes that line. */
static bool wisdom_text_whole(char *text, int64_t size)
{
    const char last[] = "end 0123456789abcdef\n";
    int64_t before = size - (int64_t)strlen(last);
    uint64_t hash;
    if (before < 1 || text[before - 1] != '\n' || strncmp(text + before, "end ", 4) != 0 ||
        text[size - 1] != '\n')
        return false;
    text[size - 1] = '\0';
    bool same =
        read_hash(text + before + 4, &hash) && hash == hash_bytes(HASH_START, text, (size_t)before);
    text[before] = '\0';
    return same;
}

static swathe_status wisdom_text_check_header(char **at)
{
    static const char *const made[HEADER_LINES] = {"", "for another contract", "by another build",
                                                   "on another CPU"};
    char wanted[LINE_MAX_SIZE];
    for (int i = 1; i < HEADER_LINES; i++) {
        const char *line = next_line(at);
        header_line(i, wanted, sizeof wanted);
        if (!line || strcmp(line, wanted) != 0)
            return fail(SWATHE_ERROR_UNSUPPORTED, "it was written %s ('%.100s', not '%.100s')",
                        made[i], line ? line : "", wanted);
    }
    return SWATHE_OK;
}

swathe_status wisdom_parse(char *text, int64_t size, struct wisdom_content *content)
{
    char *at = text, *line;
    if (strncmp(text, first_line, strlen(first_line)) != 0 || text[strlen(first_line)] != '\n')
        return fail(SWATHE_ERROR_INPUT, "it is not a wisdom file");
    if ((int64_t)strlen(text) != size || !wisdom_text_whole(text, size))
        return fail(SWATHE_ERROR_INPUT, "it is damaged: the checksum in its last line is wrong");
    next_line(&at);
    TRY(wisdom_text_check_header(&at));
    while ((line = next_line(&at)))
        if (!wisdom_text_read_line(line, content))
            return fail(SWATHE_ERROR_INPUT, "it is damaged: unexpected line '%.40s'", line);
    return SWATHE_OK;
}
