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
    return sample_entry_at((int)type - 1);
}

const struct sample_entry *sample_entry_named(const char *name)
{
    for (int i = 0; sample_entry_at(i); i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}
