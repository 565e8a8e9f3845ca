/* Wisdom: what was measured on this machine. Rates of algorithms, and the times of single problems.
 * Kept in the user's cache folder, loaded once per context, and never trusted when other code or
 * another CPU made it. Any number of threads may use one. */
#ifndef SWATHE_PLAN_WISDOM_H
#define SWATHE_PLAN_WISDOM_H

#include "base/text.h"
#include "plan/cost.h"

enum wisdom_isa {
#define ISA(id, name, built, summary) WISDOM_ISA_##id,
#include "cpu/isa.def"
#undef ISA
    WISDOM_ISAS
};

/* Problems to remember; the oldest goes first. */
enum { WISDOM_PROBLEMS_MAX = 500 };

/* Nanoseconds of a stage per result sample by each algorithm; 0: not measured. */
struct wisdom_problem {
    uint64_t key;
    double ns[ALGORITHM_COUNT];
};

struct wisdom_rates {
    bool known[ALGORITHM_COUNT][COST_CLASSES];
    struct cost_rate rate[ALGORITHM_COUNT][COST_CLASSES];
};

struct wisdom_content {
    struct wisdom_rates rates[WISDOM_ISAS];
    struct wisdom_problem problems[WISDOM_PROBLEMS_MAX];
    int32_t problem_count;
};

/* Text of a file, and back; the text says what code and CPU it is for. Reading fails with a reason,
 * and then leaves the content alone. The text is cut up. */
void wisdom_print(const struct wisdom_content *content, struct text *out);
swathe_status wisdom_parse(char *text, int64_t size, struct wisdom_content *content);
/* A hash of the sources, the compiler and its options; made by the build. */
extern const char wisdom_build[];

struct wisdom;

/* `file` is a path, "off", or NULL: $SWATHE_WISDOM, else the cache folder. */
swathe_status wisdom_create(const struct memory *memory, const char *file, struct wisdom **wisdom);
void wisdom_destroy(struct wisdom *wisdom);

/* Reads the file, the first time. A file that cannot be used is no error. */
swathe_status wisdom_load(struct wisdom *wisdom);
/* What is in use and why, in a sentence. */
void wisdom_note(struct wisdom *wisdom, char *text, size_t size);
/* The file; NULL when it is off. */
const char *wisdom_path(const struct wisdom *wisdom);

/* What was measured, if it was. */
bool wisdom_rate(struct wisdom *wisdom, int isa, const struct algorithm *algorithm,
                 enum cost_class kind, struct cost_rate *rate);
bool wisdom_find(struct wisdom *wisdom, uint64_t key, struct wisdom_problem *problem);

/* Remembers, in the file as well: SWATHE_ERROR_IO where only that did not work. */
swathe_status wisdom_learn_rates(struct wisdom *wisdom, int isa, const struct wisdom_rates *rates);
swathe_status wisdom_learn(struct wisdom *wisdom, const struct wisdom_problem *problem);

/* What is in use and its rates, as people or programs read it. */
swathe_status wisdom_show(struct wisdom *wisdom, bool json, char *text, size_t size,
                          size_t *needed);

#endif
