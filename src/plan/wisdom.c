#include "plan/wisdom.h"

#include "base/os_path.h"
#include "base/small_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, NOTE_SIZE = OS_PATH + 512 };

struct wisdom {
    const struct memory *memory;
    char path[OS_PATH]; /* empty: off */
    pthread_mutex_t mutex;
    bool loaded;
    char note[NOTE_SIZE];
    struct wisdom_content *content; /* NULL: nothing was measured */
};

static void choose_path(struct wisdom *wisdom, const char *file)
{
    if (!file)
        file = os_environment("SWATHE_WISDOM");
    if (!file || !*file) {
        if (!small_file_cached("wisdom", wisdom->path, sizeof wisdom->path))
            wisdom->path[0] = '\0';
    } else if (strcmp(file, "off") != 0) {
        snprintf(wisdom->path, sizeof wisdom->path, "%s", file);
    }
}

swathe_status wisdom_create(const struct memory *memory, const char *file, struct wisdom **wisdom)
{
    struct wisdom *got;
    if (file && strlen(file) >= OS_PATH)
        return fail(SWATHE_ERROR_ARGUMENT, "wisdom: the path is too long");
    TRY(memory_new(memory, 1, sizeof *got, "a context", &got));
    got->memory = memory;
    choose_path(got, file);
    snprintf(got->note, sizeof got->note, "built-in rates; wisdom is off");
    pthread_mutex_init(&got->mutex, NULL);
    *wisdom = got;
    return SWATHE_OK;
}

void wisdom_destroy(struct wisdom *wisdom)
{
    if (!wisdom)
        return;
    pthread_mutex_destroy(&wisdom->mutex);
    memory_free(wisdom->memory, wisdom->content);
    memory_free(wisdom->memory, wisdom);
}

/* Reads the content of the file; NULL if there is no file. */
static swathe_status wisdom_read_file(struct wisdom *wisdom, struct wisdom_content **content)
{
    struct wisdom_content *got;
    int64_t size;
    char *text;
    *content = NULL;
    TRY(small_file_read(wisdom->memory, wisdom->path, FILE_MAX, &text, &size));
    if (!text)
        return SWATHE_OK;
    swathe_status status = memory_new(wisdom->memory, 1, sizeof *got, "wisdom", &got);
    if (status == SWATHE_OK) {
        status = wisdom_parse(text, size, got);
        if (status == SWATHE_OK)
            *content = got;
        else
            memory_free(wisdom->memory, got);
    }
    memory_free(wisdom->memory, text);
    return status;
}

/* Replaces the content by that of the file, if it is usable. Only lack of memory is an error. */
static swathe_status wisdom_refresh(struct wisdom *wisdom)
{
    struct wisdom_content *content;
    struct failure kept = fail_keep();
    swathe_status status = wisdom_read_file(wisdom, &content);
    if (status == SWATHE_ERROR_MEMORY)
        return status;
    if (status != SWATHE_OK)
        snprintf(wisdom->note, sizeof wisdom->note, "built-in rates; %s is not used: %s",
                 wisdom->path, fail_text());
    else if (content)
        snprintf(wisdom->note, sizeof wisdom->note, "the wisdom file %s", wisdom->path);
    else
        snprintf(wisdom->note, sizeof wisdom->note,
                 "built-in rates; this machine was not measured ('swathe tune' measures it)");
    if (content) {
        memory_free(wisdom->memory, wisdom->content);
        wisdom->content = content;
    }
    return fail_release(&kept, SWATHE_OK);
}

swathe_status wisdom_load(struct wisdom *wisdom)
{
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&wisdom->mutex);
    if (!wisdom->loaded && wisdom->path[0])
        status = wisdom_refresh(wisdom);
    wisdom->loaded = status == SWATHE_OK;
    pthread_mutex_unlock(&wisdom->mutex);
    return status;
}

void wisdom_note(struct wisdom *wisdom, char *text, size_t size)
{
    pthread_mutex_lock(&wisdom->mutex);
    snprintf(text, size, "%s", wisdom->note);
    pthread_mutex_unlock(&wisdom->mutex);
}

const char *wisdom_path(const struct wisdom *wisdom)
{
    return wisdom->path[0] ? wisdom->path : NULL;
}

bool wisdom_rate(struct wisdom *wisdom, int isa, const struct algorithm *algorithm,
                 enum cost_class kind, struct cost_rate *rate)
{
    int index = algorithm_index(algorithm);
    pthread_mutex_lock(&wisdom->mutex);
    const struct wisdom_rates *rates = wisdom->content ? &wisdom->content->rates[isa] : NULL;
    bool known = rates && rates->known[index][kind];
    if (known)
        *rate = rates->rate[index][kind];
    pthread_mutex_unlock(&wisdom->mutex);
    return known;
}

static struct wisdom_problem *plan_wisdom_find(struct wisdom_content *content, uint64_t key)
{
    for (int32_t i = 0; content && i < content->problem_count; i++)
        if (content->problems[i].key == key)
            return &content->problems[i];
    return NULL;
}

bool wisdom_has_problems(struct wisdom *wisdom)
{
    pthread_mutex_lock(&wisdom->mutex);
    bool some = wisdom->content && wisdom->content->problem_count > 0;
    pthread_mutex_unlock(&wisdom->mutex);
    return some;
}

bool wisdom_find(struct wisdom *wisdom, uint64_t key, struct wisdom_problem *problem)
{
    pthread_mutex_lock(&wisdom->mutex);
    const struct wisdom_problem *found = plan_wisdom_find(wisdom->content, key);
    if (found)
        *problem = *found;
    pthread_mutex_unlock(&wisdom->mutex);
    return found != NULL;
}

static swathe_status wisdom_save(struct wisdom *wisdom)
{
    struct text out;
    char *buffer;
    text_init(&out, NULL, 0);
    wisdom_print(wisdom->content, &out);
    size_t size = out.needed + 1;
    TRY(memory_new(wisdom->memory, (int64_t)size, 1, "wisdom", &buffer));
    text_init(&out, buffer, size);
    wisdom_print(wisdom->content, &out);
    swathe_status status = small_file_replace(wisdom->path, buffer, size - 1);
    memory_free(wisdom->memory, buffer);
    return status;
}

/* Starts an update: reads measurements that other processes have stored meanwhile. */
static swathe_status begin_learning(struct wisdom *wisdom)
{
    if (wisdom->path[0])
        TRY(wisdom_refresh(wisdom));
    wisdom->loaded = true;
    if (!wisdom->content)
        TRY(memory_new(wisdom->memory, 1, sizeof *wisdom->content, "wisdom", &wisdom->content));
    return SWATHE_OK;
}

static swathe_status end_learning(struct wisdom *wisdom)
{
    swathe_status status = wisdom->path[0] ? wisdom_save(wisdom) : SWATHE_OK;
    if (status != SWATHE_OK)
        snprintf(wisdom->note, sizeof wisdom->note, "new measurements that were not saved: %s",
                 fail_text());
    else
        snprintf(wisdom->note, sizeof wisdom->note, "%s%s",
                 wisdom->path[0] ? "the wisdom file " : "new measurements", wisdom->path);
    return status;
}

swathe_status wisdom_learn_rates(struct wisdom *wisdom, int isa, const struct wisdom_rates *rates)
{
    pthread_mutex_lock(&wisdom->mutex);
    swathe_status status = begin_learning(wisdom);
    if (status == SWATHE_OK) {
        wisdom->content->rates[isa] = *rates;
        status = end_learning(wisdom);
    }
    pthread_mutex_unlock(&wisdom->mutex);
    return status;
}

/* Appends the new problem; if the list is full, the oldest is removed. */
static void wisdom_put(struct wisdom_content *content, const struct wisdom_problem *problem)
{
    struct wisdom_problem *replaced = plan_wisdom_find(content, problem->key),
                          *all = content->problems;
    if (!replaced && content->problem_count == WISDOM_PROBLEMS_MAX)
        replaced = all;
    if (replaced) {
        size_t after = (size_t)(all + content->problem_count - replaced - 1);
        memmove(replaced, replaced + 1, after * sizeof *replaced);
        content->problem_count--;
    }
    all[content->problem_count++] = *problem;
}

swathe_status wisdom_learn(struct wisdom *wisdom, const struct wisdom_problem *problem)
{
    pthread_mutex_lock(&wisdom->mutex);
    swathe_status status = begin_learning(wisdom);
    if (status == SWATHE_OK) {
        wisdom_put(wisdom->content, problem);
        status = end_learning(wisdom);
    }
    pthread_mutex_unlock(&wisdom->mutex);
    return status;
}
