#include "image/sample.h"

#include <math.h>
#include <string.h>

static const struct sample_entry entries[] = {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    {constant, #name, summary, sizeof(c_type), lowest, highest},
#include "image/sample.def"
#undef SAMPLE
};

const struct sample_entry *sample_entry_at(int index)
{
    return index >= 0 && index < (int)(sizeof entries / sizeof *entries) ? &entries[index] : NULL;
}

const struct sample_entry *sample_entry(swathe_type type)
{
    return type > 0 ? sample_entry_at((int)type - 1) : NULL;
}

const struct sample_entry *sample_entry_named(const char *name)
{
    for (int i = 0; sample_entry_at(i); i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

double sample_load(const void *at, swathe_type type)
{
    switch (type) {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    case constant:                                                                                 \
        return (double)*(const c_type *)at;
#include "image/sample.def"
#undef SAMPLE
    }
    return 0.0;
}

void sample_store(void *at, swathe_type type, double value)
{
    switch (type) {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    case constant:                                                                                 \
        *(c_type *)at = (c_type)value;                                                             \
        break;
#include "image/sample.def"
#undef SAMPLE
    }
}
