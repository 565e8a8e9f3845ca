/* Wisdom is stored, used by other contexts, rejected if it is damaged or was measured with other
 * code or on another CPU. It never causes an error and never changes results.
 *   wisdom_check DIRECTORY   where to create a directory for files */
#define _GNU_SOURCE /* realpath */
#include "base/hash.h"
#include "plan/wisdom.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_SIZE = 1 << 21, WIDTH = 90, HEIGHT = 60 };

static int failed, checks;
static char folder[2000], path[2100];

static void verdict(bool good, const char *what)
{
    checks++;
    failed += !good;
    if (!good)
        printf("FAILED: %s\n", what);
}

static swathe_context *open_context(const char *file)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    o.threads = 2;
    o.wisdom = file;
    verdict(swathe_context_create(&o, &context) == SWATHE_OK, "a context");
    return context;
}

/* The plan as JSON: its candidates, and its note about wisdom. */
static const char *explain(const char *file, const char *chain, swathe_type type, int32_t tune)
{
    static char text[1 << 18];
    swathe_context *context = open_context(file);
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_chain *parsed = NULL;
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = type;
    o.tune = tune;
    bool good = swathe_chain_parse(context, chain, &parsed) == SWATHE_OK &&
                swathe_plan_create(context, parsed, &shape, &o, &plan) == SWATHE_OK &&
                swathe_plan_text(plan, SWATHE_TEXT_JSON, text, sizeof text, NULL) == SWATHE_OK;
    verdict(good, "a plan");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(parsed);
    swathe_context_destroy(context);
    return good ? text : "";
}

static bool says(const char *file, const char *what)
{
    const char *text = explain(file, "sharpen", SWATHE_U8, 0);
    if (strstr(text, what))
        return true;
    const char *note = strstr(text, "\"wisdom\"");
    printf("  expected '%s', the plan has %.300s\n", what, note ? note : "nothing");
    return false;
}

static int64_t load(const char *file, char *text)
{
    FILE *from = fopen(file, "rb");
    int64_t size = from ? (int64_t)fread(text, 1, FILE_SIZE - 1, from) : 0;
    if (from)
        fclose(from);
    text[size] = '\0';
    return size;
}

static void store(const char *file, const char *text, int64_t size)
{
    FILE *to = fopen(file, "wb");
    if (!to || fwrite(text, 1, (size_t)size, to) != (size_t)size)
        verdict(false, "a file to modify");
    if (to)
        fclose(to);
}

/* Appends the checksum of a complete file, whatever the text is. */
static int64_t seal(char *text, int64_t size)
{
    uint64_t hash = hash_bytes(HASH_START, text, (size_t)size);
    return size + snprintf(text + size, 32, "end %016" PRIx64 "\n", hash);
}

/* The length of the text without its last line. */
static int64_t unsealed(const char *text)
{
    const char *end = strstr(text, "\nend ");
    return end ? end + 1 - text : 0;
}

static void check_tune(void)
{
    swathe_context *context = open_context(path);
    swathe_tune_options o = SWATHE_INIT(swathe_tune_options);
    verdict(says(path, "was not measured"), "no file yet");
    verdict(swathe_tune(context, &o) == SWATHE_OK, "tuning");
    verdict(says(path, "the wisdom file "), "a new context uses the file");
    o.isa = "sse9";
    verdict(swathe_tune(context, &o) == SWATHE_ERROR_ARGUMENT, "no such instruction set");
    swathe_context_destroy(context);
    context = open_context("off");
    o.isa = NULL;
    verdict(swathe_tune(context, &o) == SWATHE_ERROR_ARGUMENT, "nowhere to write");
    swathe_context_destroy(context);
    verdict(says("off", "wisdom is off"), "off");
    setenv("SWATHE_WISDOM", path, 1);
    verdict(says(NULL, "the wisdom file "), "named by the environment");
    setenv("SWATHE_WISDOM", "off", 1);
    verdict(says(NULL, "wisdom is off"), "off by the environment");
}

/* The file with one line of its header or body replaced, and a valid checksum. */
static void plant_line(const char *whole, const char *start, const char *line, const char *expected)
{
    static char text[FILE_SIZE];
    const char *at = strstr(whole, start);
    verdict(at != NULL, start);
    if (!at)
        return;
    int64_t before = at - whole, rest = strchr(at, '\n') - whole;
    int64_t size = snprintf(text, sizeof text, "%.*s%s", (int)before, whole, line);
    size += snprintf(text + size, sizeof text - (size_t)size, "%.*s", (int)(unsealed(whole) - rest),
                     whole + rest);
    store(path, text, seal(text, size));
    verdict(says(path, expected), line);
}

static void check_refusals(const char *whole, int64_t size)
{
    static char text[FILE_SIZE];
    plant_line(whole, "contract", "contract 3", "the wisdom file ");
    plant_line(whole, "contract", "contract 999", "for another contract");
    plant_line(whole, "library", "library 0.0.1 0123456789abcdef", "by another build");
    plant_line(whole, "cpu", "cpu Z80", "on another CPU");
    plant_line(whole, "swathe wisdom", "swathe wisdom 2", "not a wisdom file");
    plant_line(whole, "rate", "rate", "is damaged");
    plant_line(whole, "rate", "rate scalar direct u8 1 1 1 1", "is damaged");
    plant_line(whole, "rate", "rate scalar direct u8 1 1 1 1 -1", "is damaged");
    plant_line(whole, "rate", "rate scalar direct u8 1 1 1 1 inf", "is damaged");
    plant_line(whole, "rate", "rate scalar direct u8 1 1 1 1 nan", "is damaged");
    plant_line(whole, "rate", "rate scalar direct u9 1 1 1 1 1", "is damaged");
    plant_line(whole, "rate", "rate z80 direct u8 1 1 1 1 1", "is damaged");
    plant_line(whole, "rate", "rate scalar magic u8 1 1 1 1 1", "is damaged");
    plant_line(whole, "rate", "problem 12 direct=1", "is damaged");
    plant_line(whole, "rate", "problem 0123456789abcdef direct", "is damaged");
    plant_line(whole, "rate", "problem 0123456789abcdef magic=1", "is damaged");
    plant_line(whole, "rate", "problem 0123456789abcdef direct=x", "is damaged");
    plant_line(whole, "rate", "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g",
               "is damaged");
    for (int64_t cut = 0; cut < size; cut += 1 + size / 40) {
        store(path, whole, cut);
        verdict(says(path, "is not used"), "a file that is cut off");
        memcpy(text, whole, (size_t)size);
        text[cut] ^= 4;
        store(path, text, size);
        verdict(says(path, "is not used"), "a byte that was changed");
    }
    memset(text, 'x', sizeof text);
    store(path, text, FILE_SIZE);
    verdict(says(path, "the limit is"), "a huge file");
    memset(text, 0, 1000);
    store(path, text, 1000);
    verdict(says(path, "not a wisdom file"), "zeros");
}

static void check_places(void)
{
    char other[2200];
    snprintf(other, sizeof other, "%s/pipe", folder);
    mkfifo(other, 0600);
    verdict(says(other, "is not a regular file"), "a pipe does not block");
    verdict(says(folder, "is not used"), "a folder");
    snprintf(other, sizeof other, "%s/nowhere/else/at/all", folder);
    verdict(says(other, "was not measured"), "a directory that does not exist");
    verdict(*explain(other, "gaussian:5", SWATHE_U8, 1), "measuring without a file");
    swathe_context *context = open_context(other);
    verdict(swathe_tune(context, NULL) == SWATHE_ERROR_IO, "tuning reports that it cannot write");
    verdict(strstr(swathe_error_text(), "nowhere/else") != NULL, "and where");
    swathe_context_destroy(context);
    unsetenv("SWATHE_WISDOM");
    setenv("XDG_CACHE_HOME", folder, 1);
    context = open_context(NULL);
    verdict(swathe_tune(context, NULL) == SWATHE_OK, "into the cache directory, which is created");
    swathe_context_destroy(context);
    snprintf(other, sizeof other, "%s/swathe/wisdom", folder);
    verdict(access(other, R_OK) == 0, "the file exists there");
    setenv("SWATHE_WISDOM", "off", 1);
}

static void *learn(void *user)
{
    const struct memory *memory = &memory_default;
    uintptr_t number = (uintptr_t)user;
    struct wisdom *wisdom = NULL;
    if (wisdom_create(memory, path, &wisdom) != SWATHE_OK)
        return NULL;
    for (uint64_t i = 0; i < 40; i++) {
        struct wisdom_problem problem = {.key = number * 1000 + i, .ns = {1.5}};
        if (wisdom_learn(wisdom, &problem) != SWATHE_OK)
            return NULL;
    }
    wisdom_destroy(wisdom);
    return user;
}

/* Readers see a complete file, old or new, while other threads write. */
static void check_writers(void)
{
    pthread_t threads[4];
    void *done;
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, learn, (void *)(i + 1));
    for (int i = 0; i < 20; i++)
        verdict(says(path, "the wisdom file "), "read during writes");
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &done);
        verdict(done != NULL, "a concurrent writer");
    }
    verdict(says(path, "the wisdom file "), "read after the writes");
}

/* More problems than the file may hold. */
static void check_full(void)
{
    struct wisdom *wisdom = NULL;
    struct wisdom_problem problem = {.ns = {1.5}}, found;
    verdict(wisdom_create(&memory_default, path, &wisdom) == SWATHE_OK, "wisdom");
    for (problem.key = 1; problem.key <= WISDOM_PROBLEMS_MAX + 5; problem.key++)
        if (wisdom_learn(wisdom, &problem) != SWATHE_OK)
            verdict(false, "learning");
    verdict(!wisdom_find(wisdom, 5, &found), "the oldest are dropped");
    verdict(wisdom_find(wisdom, 6, &found) && found.ns[0] == 1.5, "the others are kept");
    wisdom_destroy(wisdom);
    verdict(says(path, "the wisdom file "), "a full file");
}

static void filter(const char *file, const char *chain, swathe_type type, uint8_t *to)
{
    static uint8_t from[WIDTH * HEIGHT * 3 * 4];
    swathe_context *context = open_context(file);
    swathe_shape shape = {0};
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    for (size_t i = 0; i < sizeof from / 4; i++)
        if (type == SWATHE_F32)
            ((float *)(void *)from)[i] = (float)(i * i % 251);
        else
            ((uint16_t *)(void *)from)[i] = (uint16_t)(i * i * 7919);
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = type;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    verdict(swathe_filter(context, chain, &source, &result) == SWATHE_OK, "a run");
    swathe_context_destroy(context);
}

/* The name before "chosen":true. */
static bool chosen(const char *text, char *name)
{
    const char *end = strstr(text, "\"chosen\":true"), *at = NULL;
    for (const char *c = strstr(text, "{\"name\":\""); c && end && c < end;
         c = strstr(c + 1, "{\"name\":\""))
        at = c;
    return at && sscanf(at, "{\"name\":\"%30[^\"]", name) == 1;
}

/* Absurd rates for one algorithm, on every instruction set. */
static void plant_absurd(const char *whole, const char *slow)
{
    static char text[FILE_SIZE];
    int64_t size = strstr(whole, "rate ") - whole;
    memcpy(text, whole, (size_t)size);
    for (int isa = 0; isa_at(isa); isa++)
        for (int a = 0; algorithm_at(a); a++)
            for (int c = 0; c < COST_CLASSES; c++)
                size += snprintf(text + size, sizeof text - (size_t)size,
                                 "rate %s %s %s 1 1 1 1 %s\n", isa_at(isa)->name,
                                 algorithm_at(a)->name, cost_class_name((enum cost_class)c),
                                 strcmp(algorithm_at(a)->name, slow) == 0 ? "1e9" : "1");
    store(path, text, seal(text, size));
}

/* Wisdom is used, and affects nothing except speed. */
static void check_absurd(const char *whole)
{
    static const struct {
        const char *chain;
        swathe_type type;
    } tries[] = {{"log:sigma=2", SWATHE_U8},        {"disk:6", SWATHE_U8},
                 {"gaussian:9:dense", SWATHE_U8},   {"gaussian:15:dense", SWATHE_U16},
                 {"gaussian:31:dense", SWATHE_F32}, {"mask:(1 2 1; 2 4 2; 1 2 1)", SWATHE_S16}};
    static uint8_t before[WIDTH * HEIGHT * 12], after[WIDTH * HEIGHT * 12];
    int changed = 0;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        char first[32] = "", second[32] = "";
        const char *text = explain("off", tries[i].chain, tries[i].type, 0);
        verdict(chosen(text, first), "an algorithm is chosen");
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        filter("off", tries[i].chain, tries[i].type, before);
        plant_absurd(whole, first);
        verdict(chosen(explain(path, tries[i].chain, tries[i].type, 0), second),
                "an algorithm is chosen with absurd rates");
        changed += strcmp(first, second) != 0;
        filter(path, tries[i].chain, tries[i].type, after);
        if (tries[i].type == SWATHE_F32 || memcmp(before, after, sizeof before) == 0)
            continue;
        verdict(false, "the same bytes");
        printf("  %s by %s and by %s\n", tries[i].chain, first, second);
    }
    if (changed == 0)
        printf("skipped: a changed choice (one algorithm for each problem on this machine)\n");
    else
        printf("%d of %zu choices changed\n", changed, sizeof tries / sizeof *tries);
}

/* Measured problems are stored, and read from the file without measuring again. */
static void check_problem(const char *whole, int64_t size)
{
    store(path, whole, size);
    const char *chain = "log:sigma=2";
    bool choice = strstr(explain(path, chain, SWATHE_U8, 1), "\"measured_ms\":null") == NULL;
    if (!choice) {
        printf("skipped: measured problems (one algorithm for this one on this machine)\n");
        return;
    }
    verdict(!strstr(explain(path, chain, SWATHE_U8, 0), "\"measured_ms\":null"), "remembered");
    verdict(strstr(explain(path, "box:3,sharpen", SWATHE_U8, 0), "\"measured_ms\":null") != NULL,
            "for that problem only");
    char fast[32], now[32];
    verdict(chosen(explain(path, chain, SWATHE_U8, 0), fast), "the fastest");
    static char text[FILE_SIZE];
    load(path, text);
    char *line = strstr(text, "\nproblem ");
    verdict(line != NULL, "a problem's line");
    if (!line)
        return;
    /* The same line, with the times exchanged. */
    char key[17];
    sscanf(line, "\nproblem %16s", key);
    int64_t at = line + 1 - text;
    at += snprintf(line + 1, 200, "problem %s", key);
    for (int a = 0; algorithm_at(a); a++)
        at += snprintf(text + at, 60, " %s=%s", algorithm_at(a)->name,
                       strcmp(algorithm_at(a)->name, fast) == 0 ? "9e9" : "1");
    text[at++] = '\n';
    store(path, text, seal(text, at));
    verdict(chosen(explain(path, chain, SWATHE_U8, 0), now) && strcmp(fast, now) != 0,
            "measured times decide");
}

static void clean_up(void)
{
    static const char *const files[] = {"file", "pipe", "swathe/wisdom"};
    char name[2200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i]);
        unlink(name);
    }
    snprintf(name, sizeof name, "%s/swathe", folder);
    rmdir(name);
    verdict(rmdir(folder) == 0, "the directory is empty");
}

int main(int argc, char **argv)
{
    static char whole[FILE_SIZE];
    if (argc < 2)
        return fprintf(stderr, "usage: wisdom_check DIRECTORY\n"), 2;
    char *whole_path = realpath(argv[1], NULL); /* cache directories must be absolute */
    snprintf(folder, sizeof folder, "%s/wisdom-XXXXXX", whole_path ? whole_path : "");
    free(whole_path);
    if (!mkdtemp(folder))
        return perror(folder), 2;
    snprintf(path, sizeof path, "%s/file", folder);
    check_tune();
    int64_t size = load(path, whole);
    check_refusals(whole, size);
    check_problem(whole, size);
    check_absurd(whole);
    store(path, whole, size);
    check_writers();
    check_full();
    check_places();
    clean_up();
    printf("%d passed, %d failed\n", checks - failed, failed);
    return failed > 0;
}
