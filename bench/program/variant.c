#include "variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct variant variants[] = {
#define VARIANT(suite, name, strategy) {suite, name, strategy},
#include "variant.def"
#undef VARIANT
};

const struct variant *variant_at(int index)
{
    return index >= 0 && index < (int)(sizeof variants / sizeof *variants) ? &variants[index]
                                                                           : NULL;
}

const struct variant *variant_of(const char *suite, const char *strategy)
{
    for (int i = 0; variant_at(i); i++)
        if (strcmp(variants[i].suite, suite) == 0 && strcmp(variants[i].strategy, strategy) == 0)
            return &variants[i];
    return NULL;
}

/* "Shared + Constant" and "Shared+Constant" are equal. */
static bool variant_same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

const struct variant *variant_named(const char *suite, const char *name,
                                    const struct variant **other)
{
    const struct variant *found = NULL;
    *other = NULL;
    for (int i = 0; variant_at(i); i++) {
        const struct variant *at = &variants[i];
        if ((suite && strcmp(at->suite, suite) != 0) || !variant_same_name(at->name, name))
            continue;
        if (found && strcmp(found->strategy, at->strategy) != 0)
            *other = at;
        found = found ? found : at;
    }
    return found;
}
